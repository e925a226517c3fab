/**
 * Sizes that tests may change. The simulator assigns small values before it imports the code that uses them. No
 * imports, because the console uses this file.
 */
export const sizes = {
  /** Limits of BatchGetItem and BatchWriteItem. */
  batchGet: 100,
  batchWrite: 25,

  list: 1000,
  /** Maximum users skipped by fetching them together with a page. Skipping more by a separate count is cheaper. */
  inlineSkip: 100,
  /**
   * Maximum users that one query skips: more than fit into its 1 MB. Caps huge page numbers, which exceed DynamoDB's
   * integers.
   */
  skip: 100_000,

  /**
   * Users per block of level 0, and blocks per block of the next level. 40 items take just below 4 KB, half a read
   * unit.
   */
  fanout: { users: 40, blocks: 40 },
  /** Blocks per transaction, which also contains the checkpoint. DynamoDB's limit is 100 items. */
  blocksPerBatch: 90,
  /** Users that one step of the indexer adds to blocks, because all are in memory. More users wait for the next step. */
  indexedUsers: 50_000,
  /** Recent adjustments that a reader loads: enough for a hundred deletions a second. */
  recentAdjustments: 2_000,
  /** Adjustments folded at once, in 20 MB of memory. */
  adjustments: 100_000,

  /** Users, or as many keys as cost the same, after which a page or count stops. About 150 read units. */
  pageReads: 300,

  /** Maximum users that are sorted by a criterion that did not find them. */
  sorted: 500,

  /** Entries that a search reads at once if most users may not match. */
  searchReads: 100,
  /** Number of prefix lengths under which an entry may be stored. A search for a long text queries all of them. */
  searchPrefixes: 7,

  firstPosts: 100,
  morePosts: 200,
  /** Posts deleted by one transaction, with two checks or more. DynamoDB's limit is 100 items. */
  purgedPosts: 97,
  /** Posts moved by one transaction. Each takes two items. */
  movedPosts: 48,
  /** Posts of the kept user that one step after an undo reads, in at most ten transactions of returned posts. */
  scannedPosts: 480,

  /** Changes that a stream holds. The stream of a slow client ends above this number. */
  undeliveredChanges: 10_000,

  /** Changes per entry of the order log. One stream batch fits into an entry. */
  changesPerEntry: 100,

  /** Changes in the order log that one page reads, even if it has fewer changes to show. */
  refsPerPage: 5_000,
};
