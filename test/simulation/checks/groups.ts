import { isDeepStrictEqual } from 'node:util';
import { type Change, type Item, latest, readFields, type Store } from '../database/store.ts';
import type { Accepted } from '../network/event-bus.ts';
import type { Operation } from '../workload/calls.ts';
import { listGroupIds, parseMemberships } from '../workload/memberships.ts';

const readId = (pk: string) => pk.slice('GROUP#'.length);

const isGroup = ({ pk, sk }: { pk: string; sk: string }) => pk.startsWith('GROUP#') && sk === 'GROUP';

/** True for the write that deletes a group. Its item remains until no user is a member. */
const isDeletion = (change: Change) => isGroup(change) && change.after?.deletedAt && !change.before?.deletedAt;

const listMemberships = (item: Item | undefined) => parseMemberships(item && String(readFields(item).groups ?? ''));

/** Whether a group was deleted before a call (`was`), or before its answer (`mayBe`). */
export type Gone = { was(id: string): boolean; mayBe(id: string): boolean };

export const NEVER_GONE: Gone = { was: () => false, mayBe: () => false };

/** Returns a function that finds the groups that were deleted at the time of a call. */
export function createFindGone({ changes }: Store): (times: Operation['times']) => Gone {
  const deletedAt = new Map(changes.filter(isDeletion).map(({ pk, at }) => [readId(pk), at]));
  const find = (id: string) => deletedAt.get(id) ?? Number.POSITIVE_INFINITY;
  return ({ sent, answered }) => ({ was: (id) => find(id) < sent, mayBe: (id) => find(id) <= answered });
}

/** True if all memberships are shown, except of deleted groups. */
export function showsMemberships(shown: string | undefined, stored: string | undefined, { was, mayBe }: Gone): boolean {
  const seen = parseMemberships(shown);
  const isSeen = ({ id }: { id: string }) => seen.some((each) => each.id === id);
  const memberships = parseMemberships(stored);
  return (
    isDeepStrictEqual(seen, memberships.filter(({ id }) => !was(id)).filter(isSeen)) &&
    memberships.filter(({ id }) => !mayBe(id)).every(isSeen)
  );
}

/** The job of deleted groups has removed `groupIds` from a user. `sent`, `answered`: as in `Operation`. */
export type Removal = {
  removed: { id: string; groupIds: string[]; updatedAt: string };
  id: string;
  sent: number;
  answered: number;
};

/** True for a write of the job of deleted groups. */
export const isRemoval = ({ pk, sk, by, before, after }: Change): boolean =>
  pk.startsWith('USER#') &&
  sk === 'USER' &&
  /^(index|erasure)/.test(by) &&
  before !== undefined &&
  after !== undefined &&
  !isDeepStrictEqual(listMemberships(before), listMemberships(after));

/** Places the removals among the operations by their times. */
export function findRemovals({ changes }: Store, operations: Operation[]): Removal[] {
  const moments = operations.flatMap(({ sent, answered, times }) => [
    { moment: sent, at: times.sent },
    { moment: answered, at: times.answered },
  ]);
  return changes.filter(isRemoval).map(({ pk, by, at, before, after }) => {
    const kept = listMemberships(after).map(({ id }) => id);
    const groupIds = listMemberships(before).flatMap(({ id }) => (kept.includes(id) ? [] : [id]));
    const [earlier, later] = [moments.filter((each) => each.at < at), moments.filter((each) => each.at > at)];
    return {
      removed: { id: pk.slice('USER#'.length), groupIds, updatedAt: after?.updatedAt?.S ?? '' },
      id: by,
      sent: Math.max(-1, ...earlier.map(({ moment }) => moment)) + 0.1,
      answered: Math.min(...later.map(({ moment }) => moment)) - 0.1,
    };
  });
}

/** Checks that no membership and no item is left of a deleted group, and that claims and entries belong to a group. */
export function checkGroups(store: Store): string[] {
  const items = [...store.all()].map(latest).filter((item) => item !== undefined);
  const groups = items.filter((item) => isGroup({ pk: item.pk?.S ?? '', sk: item.sk?.S ?? '' }));
  const ids = groups.filter(({ deletedAt }) => !deletedAt).map(({ pk }) => readId(pk?.S ?? ''));
  const select = (pk: RegExp) => items.filter((item) => pk.test(item.pk?.S ?? ''));
  const claims = select(/^GROUPID#/).map(({ pk, groupId }) => `${pk?.S} of ${groupId?.S}`);
  const expectedClaims = groups.flatMap(({ pk, externalId, deletedAt }) =>
    externalId?.S === undefined || deletedAt ? [] : [`GROUPID#${externalId.S} of ${readId(pk?.S ?? '')}`],
  );
  const listed = select(/^GROUPS$/).map(({ sk }) => sk?.S ?? '');
  const found = select(/^GROUPSEARCH$/).map(({ sk }) => sk?.S?.slice(-36) ?? '');
  const pending = select(/^GROUPDELETIONS$/).flatMap((item) => Object.keys(item).filter((name) => name.length === 36));
  return [
    ...groups.filter(({ deletedAt }) => deletedAt).map(({ pk }) => `the deleted group ${pk?.S} is left over`),
    ...pending.map((id) => `the deletion of the group ${id} has not ended`),
    ...compare('claim', claims, expectedClaims),
    ...compare('entry GROUPS', listed, ids),
    ...compare('entry GROUPSEARCH', [...new Set(found)], ids),
    ...items
      .filter(({ sk }) => sk?.S === 'USER')
      .flatMap((user) =>
        listMemberships(user).flatMap(({ id }) =>
          ids.includes(id) ? [] : [`${user.pk?.S} is a member of ${id}, which does not exist`],
        ),
      ),
  ];
}

const compare = (what: string, found: string[], expected: string[]): string[] => [
  ...found.filter((each) => !expected.includes(each)).map((each) => `the ${what} ${each} is left over`),
  ...expected.filter((each) => !found.includes(each)).map((each) => `the ${what} ${each} is missing`),
];

/**
 * Checks that `deleteGroup` without `removeMembers` depends on the members during the call, and that the job names the
 * caller who deleted the group.
 */
export function checkGroupDeletions({ changes }: Store, operations: Operation[]): string[] {
  const findGroups = (text: unknown) => listGroupIds(text as string | undefined);
  const users = Map.groupBy(
    changes.filter(({ pk, sk }) => pk.startsWith('USER#') && sk === 'USER'),
    ({ pk }) => pk,
  );
  /** Finds times from which the group has members or none. */
  const isEverMember = (id: string, from: number, to: number) =>
    [...users.values()].some((ofUser) =>
      ofUser.some(
        ({ at, after }, index) =>
          at <= to &&
          (ofUser[index + 1]?.at ?? Number.POSITIVE_INFINITY) >= from &&
          after !== undefined &&
          findGroups(readFields(after).groups).includes(id),
      ),
    );
  const isAlwaysMember = (id: string, from: number, to: number) =>
    [...users.values()].some((ofUser) => {
      const during = ofUser.filter(
        ({ at }, index) => at <= to && (ofUser[index + 1]?.at ?? Number.POSITIVE_INFINITY) >= from,
      );
      const isMember = ({ after }: Change) => after && findGroups(readFields(after).groups).includes(id);
      return during[0] !== undefined && during[0].at < from && during.every(isMember);
    });
  const wrong = operations.flatMap(({ id: operation, call, outcome, times: { sent, answered } }) => {
    if (call.kind !== 'deleteGroup') return [];
    if (outcome.code === 'CONFLICT' && (call.removeMembers || !isEverMember(call.id, sent, answered)))
      return [`${operation} found members of ${call.id}`];
    if (outcome.code === 'OK' && !call.removeMembers && isAlwaysMember(call.id, sent, answered))
      return [`${operation} deleted ${call.id} with members`];
    return [];
  });
  const deletedBy = new Map(
    changes.filter(isDeletion).map(({ pk, after }) => [readId(pk), after?.deletedBy?.S] as const),
  );
  const byOthers = changes.filter(isRemoval).flatMap(({ pk, before, after }) => {
    const kept = listMemberships(after).map(({ id }) => id);
    const lost = listMemberships(before).filter(({ id }) => !kept.includes(id));
    const isRight = lost.some(({ id }) => deletedBy.has(id) && deletedBy.get(id) === after?.by?.S);
    return isRight ? [] : [`${pk} left ${lost.map(({ id }) => id).join(', ')} by ${after?.by?.S}`];
  });
  return [...wrong, ...byOthers];
}

type Event = {
  id: string;
  type: string;
  subject: string;
  data: { version: number; before: Item | null; after: Item | null };
};

/** Checks that the bus got each change of a group, in order. Ignores removals of deleted groups' items. */
export function checkGroupEvents({ changes }: Store, accepted: Accepted[]): string[] {
  const events = accepted
    .map(({ detail }) => JSON.parse(detail) as Event)
    .filter(({ type }) => type.startsWith('group.'));
  const made = Map.groupBy(
    changes.filter((change) => isGroup(change) && change.after).map((change) => ({ ...change, id: readId(change.pk) })),
    ({ id }) => id,
  );
  const sent = Map.groupBy([...new Map(events.map((event) => [event.id, event])).values()], ({ subject }) => subject);
  return [...new Set([...made.keys(), ...sent.keys()])].flatMap((id) => {
    const expected = (made.get(id) ?? []).map((change) => `${nameKind(change)} ${change.after?.version?.N}`);
    const found = (sent.get(id) ?? []).map(({ type, data }) => `${type} ${data.version}`);
    return isDeepStrictEqual(found, expected) ? [] : [`the bus got ${found} of ${id}, not ${expected}`];
  });
}

const nameKind = (change: Change) => `group.${isDeletion(change) ? 'deleted' : change.before ? 'updated' : 'created'}`;
