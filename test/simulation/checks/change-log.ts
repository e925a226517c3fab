import { isSameItem, type Item } from '../database/values.ts';
import { type Change, latest, type Store } from '../database/store.ts';

/** What is wrong with the change log: each change of a user or post is in it once, and those of one partition in order. */
export function checkChangeLog(store: Store): string[] {
  const changes = store.changes.filter(({ pk }) => pk.startsWith('USER#'));
  const topics = Map.groupBy(
    changes,
    ({ pk, sk }) => `${sk === 'USER' ? 'USER' : 'POSTS'}#${pk.slice('USER#'.length)}`,
  );
  const problems = [...topics].flatMap(([topic, made]) => compare(topic, made, entries(store, `CHANGES#${topic}`)));
  const ofUsers = changes.filter(({ sk }) => sk === 'USER');
  const all = [...store.all()].filter(({ pk }) => pk.startsWith('CHANGES#USERS#')).map(latest);
  for (const [id, made] of Map.groupBy(ofUsers, ({ pk }) => pk.slice('USER#'.length))) {
    const logged = all.filter((entry) => entry?.change?.M?.id?.S === id).length;
    if (logged !== made.length)
      problems.push(`the log of all users has ${logged} changes of ${id}, not ${made.length}`);
  }
  return problems;
}

const entries = (store: Store, pk: string): Item[] =>
  [...store.partition(pk)]
    .map(latest)
    .filter((item) => item !== undefined)
    .sort((left, right) => ((left.sk?.S ?? '') < (right.sk?.S ?? '') ? -1 : 1));

function compare(topic: string, made: Change[], logged: Item[]): string[] {
  if (made.length !== logged.length) return [`the log ${topic} has ${logged.length} changes, not ${made.length}`];
  return made.flatMap((change, at) => {
    const { kind, item } = logged[at]?.change?.M ?? {};
    const expected = change.before ? (change.after ? 'UPDATED' : 'DELETED') : 'CREATED';
    const isRight = kind?.S === expected && isSameItem(item?.M, change.after);
    return isRight ? [] : [`the log ${topic} has ${kind?.S} at ${at}, not ${expected}, or not the item of that change`];
  });
}
