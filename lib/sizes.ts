/**
 * These sizes limit what is read, written and shown at a time. The simulator assigns small sizes before it imports what reads them, so
 * that a few users reach the branches beyond them. This file imports nothing: the console uses it, too.
 */
export const sizes = {
  /** DynamoDB's limits for one BatchGetItem and one BatchWriteItem. */
  batchGet: 100,
  batchWrite: 25,

  /** Users in a list without page numbers, and at most in a page. */
  list: 1000,
  /** Above this many it is cheaper to count users than to fetch them. */
  inlineSkip: 100,
  /** Users whom one query skips: more than fit into its 1 MB. A page number can ask for more than DynamoDB's integers hold. */
  skip: 100_000,

  /** So many users make up a block of level 0, and so many blocks one of the level above: 40 are just below 4 KB, half a read unit. */
  fanout: { users: 40, blocks: 40 },
  /** DynamoDB's limit is 100 items in a transaction: the checkpoint, and the blocks of a batch. */
  blocksPerBatch: 90,
  /** The adjustments that a reader reads: what a hundred deletes a second leave in their time. */
  recentAdjustments: 2_000,
  /** So many adjustments are folded together: more of them share the writes of a block, and this many take 20 MB. */
  adjustments: 100_000,

  /** A list reads so many users, at least, to find those who meet its further criteria. It sorts so many at most. */
  filteredReads: 500,

  /** Once a search has read this many entries, its page ends. Few users have several entries that one search reads. */
  searchReads: 100,
  /** The partition of a text is one of so many beginnings of it. A search for a long text queries all of them. */
  searchPrefixes: 7,

  /** The first query of a list reads so many posts, and each further one so many. */
  firstPosts: 100,
  morePosts: 200,
  /** So many posts of a deleted author are deleted before other records of the stream have their turn. */
  purgedPosts: 99,

  /** A stream keeps so many changes for a client that does not take them, then it ends. */
  undeliveredChanges: 10_000,

  /** An entry of the order log names so many changes, those of a batch of the stream. */
  changesPerEntry: 100,

  /** A page of changes passes so many changes of posts and users of the order log, then it ends. */
  refsPerPage: 5_000,
};
