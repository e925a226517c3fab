/** The schema of the table, for the stack and for local runs. */
export const tableSchema = {
  partitionKey: 'pk',
  sortKey: 'sk',
  index: {
    name: 'directory',
    partitionKey: 'directory',
    sortKey: 'pk',
    /** The attributes that lists show, in REST and in GraphQL. */
    projected: ['name', 'email', 'createdAt', 'updatedAt', 'version'],
  },
  timeToLive: 'expiresAt',
} as const;
