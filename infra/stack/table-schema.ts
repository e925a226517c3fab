/** The one table, as the stack provisions it and as it is made on this machine. */
export const tableSchema = {
  partitionKey: 'pk',
  sortKey: 'sk',
  index: {
    name: 'directory',
    partitionKey: 'directory',
    sortKey: 'pk',
    /** What a list shows, at any door. */
    projected: ['name', 'email', 'createdAt', 'updatedAt', 'version'],
  },
  timeToLive: 'expiresAt',
} as const;
