import type { SeenChange, SubscriptionPart } from '../actors/subscriber.ts';
import type { Change } from '../database/store.ts';
import type { Topic } from '../workload/plan.ts';

const UUID_LENGTH = 36;

/** By how much clocks differ, and times are rounded, where they tell what is new, in ms. */
const TOLERANCE_MS = 2 * 750 + 1_000;
/** A subscription from a time asks for changes from this long before it began, in ms. */
const ASKS_FROM_MS = 3_000;

type Followed = { topic: Topic; id: string | undefined };

/**
 * What is wrong with what a subscriber got: every change of its topic since it was subscribed, none from before it asked,
 * each once and as it was, those of one user or author in order.
 */
export function checkSubscription(changes: Change[], part: SubscriptionPart, { topic, id }: Followed): string[] {
  const { seen, ended } = part;
  const isFollowed = ({ pk, sk }: Change) =>
    pk.startsWith('USER#') &&
    (topic === 'posts' ? sk.startsWith('POST#') : sk === 'USER') &&
    (id === undefined || pk === `USER#${id}`);
  const made = Map.groupBy(changes.filter(isFollowed), ({ pk }) => pk.slice('USER#'.length));
  const got = Map.groupBy(seen, (event) => event.id.slice(0, UUID_LENGTH));
  const { isPossible, isCertain } = chooseBounds(part, topic);
  const problems = [...new Set([...made.keys(), ...got.keys()])].flatMap((key) => {
    const own = made.get(key) ?? [];
    const places: number[] = [];
    for (const event of got.get(key) ?? []) {
      const place = own.findIndex((change, at) => at > (places.at(-1) ?? -1) && isSame(change, event));
      const change = own[place];
      if (!change || !isPossible({ ...change, at: Math.max(change.at, readDeletion(event)) }))
        return [`got ${JSON.stringify(event)}, which is not next of ${key}`];
      places.push(place);
    }
    const last = ended ? (places.at(-1) ?? -1) : own.length;
    const missed = own.filter((change, at) => at < last && isCertain(change) && !places.includes(at));
    return missed.map((change) => `missed ${describe(change)} of ${key}`);
  });
  if (new Set(seen.map(({ cursor }) => cursor)).size < seen.length) problems.push('got a cursor twice');
  return problems.map((problem) => `a subscriber of ${topic} ${problem}`);
}

/**
 * Which changes a subscriber may get, and which it has to get. Its start is a time, which it asked for or at which it was
 * subscribed; of one user, what was not written yet when it was subscribed is new, whatever the clocks say.
 */
function chooseBounds({ asked, opened, from }: SubscriptionPart, topic: Topic) {
  if (from === 'now' && topic === 'user')
    return {
      isPossible: ({ commit }: Change) => commit > asked.commit,
      isCertain: ({ commit }: Change) => commit > opened.commit,
    };
  const [earliest, latest] =
    from === 'now' ? [asked.time, opened.time] : [asked.time - ASKS_FROM_MS, asked.time - ASKS_FROM_MS];
  return {
    isPossible: ({ at }: Change) => at >= earliest - TOLERANCE_MS,
    isCertain: ({ at }: Change) => at >= latest + TOLERANCE_MS,
  };
}

/** The time of a deletion is that of its consumption from the stream, which decides whether it is new. */
const readDeletion = ({ entity, at }: SeenChange) => (entity ? 0 : Date.parse(at));

const describe = ({ before, after }: Change) =>
  `${before ? (after ? 'UPDATED' : 'DELETED') : 'CREATED'} ${JSON.stringify(after ?? null)}`;

/** Whether an event tells of a change, with all that it shows. The time of a deletion is not stored. */
function isSame({ pk, sk, before, after, at }: Change, { kind, id, at: told, entity }: SeenChange): boolean {
  if (kind !== (before ? (after ? 'UPDATED' : 'DELETED') : 'CREATED')) return false;
  const own = pk.slice('USER#'.length);
  if (id !== (sk === 'USER' ? own : `${own}.${sk.slice('POST#'.length)}`)) return false;
  if (!after || !entity) return !after && !entity && Date.parse(told) >= at - TOLERANCE_MS;
  const { id: shownId, ...shown } = entity;
  const isEqual = Object.entries(shown).every(
    ([name, value]) => (after[name]?.S ?? (after[name]?.N === undefined ? null : Number(after[name]?.N))) === value,
  );
  return shownId === id && isEqual && told === after.updatedAt?.S;
}
