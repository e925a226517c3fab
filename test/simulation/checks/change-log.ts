import { type Change, type Item, isSameItem, latest, type Store, type Value } from '../database/store.ts';

/** For this long a subscriber may resume from a cursor; older changes may be gone. */
const RETENTION_MS = 24 * 3_600_000;

/**
 * What is wrong with the change log: each change of a user or post is in it once, those of one user, or of the posts of
 * one author, in their order; and in the log of all users each entry names the one before it.
 */
export function checkChangeLog(store: Store, now: number): string[] {
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
      const problems = compare(`log ${topic}`, oldest, made, (logs.get(topic) ?? []).flatMap(readChanges));
      if (!topic.startsWith('USER#')) return problems;
      const id = topic.slice('USER#'.length);
      const ofUser = logged.filter((change) => change.M?.id?.S === id);
      return [...problems, ...compare(`log of all users, as for ${id},`, oldest, made, ofUser)];
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

/** The entries of each log, in order, by the name of its topic without the epoch. */
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

function compare(log: string, oldest: number, made: Change[], logged: Value[]): string[] {
  const left = [...logged];
  const missing = made.filter((change) => {
    const isLogged = isSame(change, left[0]);
    if (isLogged) left.shift();
    return !isLogged && change.at >= oldest;
  });
  return [
    ...missing.map((change) => `the ${log} lacks ${nameKind(change)} version ${change.after?.version?.N ?? ''}`),
    ...left.map((value) => `the ${log} has ${value.M?.kind?.S} which is not next`),
  ];
}

const nameKind = ({ before, after }: Change) => (before ? (after ? 'UPDATED' : 'DELETED') : 'CREATED');

/** The time of a deletion is not stored. */
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
