import { type Change, type Item, isSameItem, latest, type Store, type Value } from '../database/store.ts';
import type { Operation } from '../workload/calls.ts';
import { createNamesActor, type NamesActor } from './actors.ts';

/** Tells which purges have not ended when all has settled. */
export const checkPurges = (store: Store): string[] =>
  [...store.all()]
    .filter((stored) => stored.sk === 'PURGE' && latest(stored))
    .map(({ pk }) => `the purge of ${pk} has not ended`);

/**
 * Tells what is wrong with the times that an operation stored: each lies between request and commit, by the clock of the
 * environment that served it, and the time of creation never changes.
 */
export function checkTimes(changes: Change[], operations: Operation[]): string[] {
  const byId = new Map(operations.map((operation) => [operation.id, operation]));
  return changes.flatMap(({ pk, sk, by, at, before, after }) => {
    const operation = byId.get(by.slice(0, by.lastIndexOf('/')));
    if (!operation || !after || !/^(USER$|POST#)/.test(sk) || !pk.startsWith('USER#')) return [];
    const [from, to] = [operation.times.sent + operation.skew, at + operation.skew];
    const isNow = (time: string | undefined) =>
      time !== undefined && Date.parse(time) >= Math.floor(from) && Date.parse(time) <= to;
    const [createdAt, updatedAt, publishedAt] = [after.createdAt?.S, after.updatedAt?.S, after.publishedAt?.S];
    const isPublished = operation.call.kind === 'publishPost' && operation.call.publishedAt === undefined;
    return [
      ...(isNow(updatedAt) ? [] : [`updatedAt ${updatedAt}`]),
      ...((before ? createdAt === before.createdAt?.S : createdAt === updatedAt) ? [] : [`createdAt ${createdAt}`]),
      ...(!isPublished || isNow(publishedAt) ? [] : [`publishedAt ${publishedAt}`]),
    ].map((problem) => `${operation.id} stored ${problem} in ${pk} ${sk}`);
  });
}

const HOUR = 3_600_000;

/**
 * Items are kept for so long: the contract promises a day of idempotency keys and changes, the stream delivers records for
 * a day, after which nobody asks for records of deletions, the indexer may fail for a week, and slots are held for as long as a stream lasts.
 */
const RETENTION: { key: RegExp; least: number; most: number }[] = [
  { key: /^USER#\S+ DELETED/, least: 48 * HOUR, most: 48 * HOUR },
  { key: /^REQUEST#/, least: 24 * HOUR, most: 24 * HOUR },
  { key: /^CHANGES#/, least: 24 * HOUR, most: 26 * HOUR },
  { key: /^SEARCH#/, least: 24 * HOUR, most: 7 * 24 * HOUR },
  { key: /^PAGES#TOMBSTONES/, least: 7 * 24 * HOUR, most: 7 * 24 * HOUR },
  // Slots that have expired may be freed at any time, which leaves the time of their item as it is.
  { key: /^STREAMS/, least: Number.NEGATIVE_INFINITY, most: HOUR / 30 },
];

/** Clocks differ, and a write may be under way for a while. */
const TOLERANCE_MS = 30_000;

/** Tells what is wrong with the time to live of the items that were written: other items have none. */
export function checkRetention({ changes }: Store): string[] {
  return changes.flatMap(({ pk, sk, at, after }) => {
    const kind = sk === 'HEAD' ? undefined : RETENTION.find((each) => each.key.test(`${pk} ${sk}`));
    if (after?.expiresAt === undefined)
      // A search entry is kept for as long as its user has it.
      return kind && after && after.name === undefined ? [`${pk} ${sk} is kept for ever`] : [];
    const kept = Number(after.expiresAt.N) * 1000 - at;
    const isRight = kind && kept >= kind.least - TOLERANCE_MS && kept <= kind.most + TOLERANCE_MS;
    return isRight ? [] : [`${pk} ${sk} is kept for ${Math.round(kept / 1000)} s`];
  });
}

/** For this long a subscriber may resume from a cursor; older changes may be gone. */
const RETENTION_MS = 24 * HOUR;

/**
 * Tells what is wrong with the change log: each change of a user or post is in it once, with who made it, those of one user, or of the posts of
 * one author, in their order; and in the log of all users each entry names the one before it.
 */
export function checkChangeLog(store: Store, now: number, operations: Operation[]): string[] {
  const namesActor = createNamesActor(operations);
  const oldest = now - RETENTION_MS;
  const changes = store.changes.filter(({ pk, sk }) => pk.startsWith('USER#') && /^(USER$|POST#)/.test(sk));
  const topics = Map.groupBy(
    changes,
    ({ pk, sk }) => `${sk === 'USER' ? 'USER' : 'POSTS'}#${pk.slice('USER#'.length)}`,
  );
  const logs = readLogs(store);
  const all = logs.get('USERS') ?? [];
  const logged = all.flatMap(readChanges);
  return [
    ...[...topics].flatMap(([topic, made]) => {
      const problems = compare(
        `log ${topic}`,
        { oldest, made, namesActor },
        (logs.get(topic) ?? []).flatMap(readChanges),
      );
      if (!topic.startsWith('USER#')) return problems;
      const id = topic.slice('USER#'.length);
      const ofUser = logged.filter((change) => change.M?.id?.S === id);
      return [...problems, ...compare(`log of all users, as for ${id},`, { oldest, made, namesActor }, ofUser)];
    }),
    ...all.flatMap(({ sk, previous }, at) => {
      const expected = all[at - 1]?.sk?.S ?? ''.padStart(40, '0');
      // What came before may have expired; numbers are times.
      const isExpired = Number(previous?.S) > 0 && Number(previous?.S) < oldest;
      return previous?.S === expected || isExpired
        ? []
        : [`the entry ${sk?.S} of the log of all users does not follow ${expected}`];
    }),
  ];
}

/** Reads the entries of each log, in order, by the name of its topic without the epoch. */
const readLogs = (store: Store): Map<string, Item[]> =>
  Map.groupBy(
    [...store.all()]
      .filter(({ pk, sk }) => pk.startsWith('CHANGES#') && sk !== 'HEAD')
      .map(latest)
      .filter((item) => item !== undefined)
      .sort((left, right) => ((left.sk?.S ?? '') < (right.sk?.S ?? '') ? -1 : 1)),
    ({ pk }) => pk?.S?.split('#').slice(2).join('#') ?? '',
  );

const readChanges = ({ changes }: Item): Value[] => changes?.L ?? [];

type Made = { oldest: number; made: Change[]; namesActor: NamesActor };

function compare(log: string, { oldest, made, namesActor }: Made, logged: Value[]): string[] {
  const left = [...logged];
  const missing = made.filter((change) => {
    const isLogged = isSame(change, left[0]) && namesActor(change, left[0]?.M ?? {});
    if (isLogged) left.shift();
    return !isLogged && change.at >= oldest;
  });
  return [
    ...missing.map((change) => `the ${log} lacks ${nameKind(change)} version ${change.after?.version?.N ?? ''}`),
    ...left.map((value) => `the ${log} has ${value.M?.kind?.S} which is not next`),
  ];
}

const nameKind = ({ before, after }: Change) => (before ? (after ? 'UPDATED' : 'DELETED') : 'CREATED');

function isSame(change: Change, logged: Value | undefined): boolean {
  const { id, kind, item, at } = logged?.M ?? {};
  const { after } = change;
  return (
    id?.S === findId(change) &&
    kind?.S === nameKind(change) &&
    isSameItem(item?.M, after) &&
    (!after || at?.S === after.updatedAt?.S)
  );
}

/** The ids tell deletions apart: else the entry of a later one would stand for one that has expired. */
const findId = ({ pk, sk }: Change) =>
  [pk.slice('USER#'.length), ...(sk === 'USER' ? [] : [sk.slice('POST#'.length)])].join('.');
