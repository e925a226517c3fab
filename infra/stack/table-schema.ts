/** The schema of the table, for the stack and for local runs. */
export const tableSchema = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** Holds the users only, with all attributes: a projection cannot be changed later without a second index. */
  index: { name: 'directory', partitionKey: 'directory', sortKey: 'pk' },
  timeToLive: 'expiresAt',
} as const;
