/**
 * Page and batch sizes. The simulator assigns small values before it imports the code that uses the sizes, so that a
 * few users are enough to reach all branches. No imports, because the console uses this file, too.
 */
export const sizes = {
  /** Limits of BatchGetItem and BatchWriteItem. */
  batchGet: 100,
  batchWrite: 25,

  /** Users in a list without page numbers, and maximum users per page. */
  list: 1000,
  /**
   * Maximum users to skip by fetching them together with a page. Above this number, skipping them by a separate count
   * is cheaper.
   */
  inlineSkip: 100,
  /** Users that one query skips: more than fit into its 1 MB. Caps huge page numbers, which exceed DynamoDB's integers. */
  skip: 100_000,

  /**
   * Users per block of level 0, and blocks per block of the next level. 40 items of either kind take just below 4 KB,
   * half a read unit.
   */
  fanout: { users: 40, blocks: 40 },
  /** Blocks per transaction, which also contains the checkpoint. DynamoDB's limit is 100 items. */
  blocksPerBatch: 90,
  /** Maximum recent adjustments that a reader loads: enough for a hundred deletions a second. */
  recentAdjustments: 2_000,
  /**
   * Maximum adjustments folded at once. A higher number would let more adjustments share the write of a block, but this
   * number already takes 20 MB of memory.
   */
  adjustments: 100_000,

  /** A page reads at least this number of users to find those who match further criteria. Also the maximum to sort. */
  filteredReads: 500,

  /**
   * Entries that a search reads per page. About as many as users, because few users have several entries in one search.
   */
  searchReads: 100,
  /** Prefixes under which a text may be stored. A search for a long text queries all of them. */
  searchPrefixes: 7,

  /** Posts of the first query of a list, and of each further query. */
  firstPosts: 100,
  morePosts: 200,
  /** Posts deleted per part of a purge. One transaction deletes them and checks the author: 100 items. */
  purgedPosts: 99,

  /** Maximum changes buffered for a slow client. Above this number, the stream ends. */
  undeliveredChanges: 10_000,

  /** Maximum changes per entry of the order log. One stream batch fits into an entry. */
  changesPerEntry: 100,

  /** Changes in the order log that one page reads before it ends, even if it has fewer changes to show. */
  refsPerPage: 5_000,
};
