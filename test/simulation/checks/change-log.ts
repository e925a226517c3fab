import { type Change, latest, type Store } from '../database/store.ts';
import { type Item, isSameItem, type Value } from '../database/values.ts';

/**
 * What is wrong with the change log: each change of a user or post is in it once, those of one user, or of the posts of
 * one author, in their order; and in the log of all users each entry names the one before it.
 */
export function checkChangeLog(store: Store): string[] {
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
      const problems = compare(`log ${topic}`, made, (logs.get(topic) ?? []).flatMap(readChanges));
      if (!topic.startsWith('USER#')) return problems;
      const id = topic.slice('USER#'.length);
      const ofUser = logged.filter((change) => change.M?.id?.S === id);
      return [...problems, ...compare(`log of all users, as for ${id},`, made, ofUser)];
    }),
    ...all.flatMap(({ sk, previous }, at) => {
      const expected = all[at - 1]?.sk?.S ?? ''.padStart(40, '0');
      return previous?.S === expected ? [] : [`the entry ${sk?.S} of the log of all users does not follow ${expected}`];
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

function compare(log: string, made: Change[], logged: Value[]): string[] {
  if (made.length !== logged.length) return [`the ${log} has ${logged.length} changes, not ${made.length}`];
  return made.flatMap((change, at) => {
    const { kind, item } = logged[at]?.M ?? {};
    const expected = change.before ? (change.after ? 'UPDATED' : 'DELETED') : 'CREATED';
    const isRight = kind?.S === expected && isSameItem(item?.M, change.after);
    return isRight ? [] : [`the ${log} has ${kind?.S} at ${at}, not ${expected} with the item of that change`];
  });
}
