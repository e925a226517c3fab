import type { Mutants } from './mutants.ts';

const FOLDER = 'lib/features/repair';
const ENTRIES = 'lib/features/search/entry-checks.ts';
const STALE = `${FOLDER}/stale-claims.ts`;
const MISSING = `${FOLDER}/missing-claims.ts`;
const ORPHANS = `${FOLDER}/orphans.ts`;
const RECORD = `${FOLDER}/backfill-record.ts`;
const VERIFY = `${FOLDER}/verify-users.ts`;

/** They are about what is compared with users, and repaired. */
export const repairMutants: Mutants = {
  'a search entry that a user lacks is not looked for': {
    file: ENTRIES,
    find: 'createEntries(user).map((entry) => ({',
    replace: 'createEntries(user).slice(0, 0).map((entry) => ({',
  },
  'a search entry that is left over stays': {
    file: ENTRIES,
    find: 'isSound: (entry, user) => isDeepStrictEqual(findEntry(user, entry), entry),',
    replace: 'isSound: () => true,',
  },
  'search entries of former values are not looked for': {
    file: ENTRIES,
    find: '[...listKeys(version), ...listPossibleKeys(version, search)]',
    replace: 'listPossibleKeys(version, search.slice(0, 0))',
  },
  'search entries of former fields are not looked for': {
    file: ENTRIES,
    find: '...listPossibleKeys(version, search)',
    replace: '...listPossibleKeys(version, search.slice(0, 0))',
  },
  'a stale claim stays': {
    file: STALE,
    find: 'isWritten: await deleteStaleClaim(claim, listClaims)',
    replace: 'isWritten: claim === undefined && (await deleteStaleClaim(claim, listClaims))',
  },
  'claims of former fields are not looked for': {
    file: STALE,
    find: 'unique.includes(field) &&',
    replace: 'unique.length < 0 && unique.includes(field) &&',
  },
  'a stale claim is deleted although it was made again': {
    file: STALE,
    find: 'transact(toDeletion(user, stored, Key))',
    replace: 'transact({ claim: { Delete: { TableName, Key } } })',
  },
  'a claim is made for a user who was changed meanwhile': {
    file: MISSING,
    find: 'user: requireUserUnchanged(user),',
    replace: 'user: undefined,',
  },
  'of two users with one value the younger has the claim': {
    file: MISSING,
    find: 'if (newer && newer.id < user.id)',
    replace: 'if (newer)',
  },
  'maintenance makes no claims': {
    file: MISSING,
    find: 'listClaims(user).map((claim)',
    replace: 'listClaims(user).slice(0, 0).map((claim)',
  },
  'a post without an author stays': {
    file: ORPHANS,
    find: 'isSound: (_, author) => author !== undefined,',
    replace: 'isSound: (_, author) => author !== null,',
  },
  'a tombstone of a user who is there stays': {
    file: ORPHANS,
    find: 'isSound: (_, user) => user === undefined,',
    replace: 'isSound: (_, user) => user !== null,',
  },
  'a tombstone is deleted although its user is gone': {
    file: ORPHANS,
    find: "parseTombstoneKey(tombstone.sk).id, 'attribute_exists(pk)'",
    replace: "parseTombstoneKey(tombstone.sk).id, 'attribute_exists(pk) OR attribute_not_exists(pk)'",
  },
  'changed users are not verified': {
    file: VERIFY,
    find: 'versions: changes.flatMap(listVersions), former:',
    replace: 'versions: [], former:',
  },
  'changed users are verified as far as the position is saved': {
    file: VERIFY,
    find: `    repairs = add(repairs, await verify(part, settledAt, pause));
    verifiedUpTo = last;
    await putItemIf({ Item: { ...verifiedChangesKey, verifiedUpTo } });`,
    replace: `    verifiedUpTo = last;
    await putItemIf({ Item: { ...verifiedChangesKey, verifiedUpTo } });
    repairs = add(repairs, await verify(part, settledAt, pause));`,
  },
  'users are not verified in turn': {
    file: VERIFY,
    find: 'const repairs = await verify({ users: readUsers(items), items }',
    replace: 'const repairs = await verify({ users: readUsers(items.slice(0, 0)), items: items.slice(0, 0) }',
  },
  'claims are not verified in turn': {
    file: STALE,
    find: 'isInTurn: isUniqueKey,',
    replace: 'isInTurn: (item) => isUniqueKey(item) && !item.userId,',
  },
  'former fields are forgotten': {
    file: RECORD,
    find: 'if (!last) return NO_FIELDS;',
    replace: 'if (!last || last) return NO_FIELDS;',
  },
  'fields are former ones only once the next backfill has begun': {
    file: VERIFY,
    find: 'former: listFormer(await readBackfill())',
    replace: 'former: (await readBackfill())?.former',
  },
};
