import { type Change, type Item, isEqual, isRewrite, isSameItem, type Store, type Value } from '../database/store.ts';
import type { NamesActor } from './actors.ts';
import { createIsErased } from './erasures.ts';

/** A log entry as it was first written. */
type Put = { epoch: string; topic: string; sk: string; commit: number; item: Item };

/** An entry, or a reference (ref) in the order log, without `item`. */
type Told = { name: string; commit: number; item?: Item };

/** Checks that each change appears once in its user's or author's log, and afterwards, in order, in the order log. */
export function checkChangeLog(store: Store, namesActor: NamesActor): string[] {
  const { changes } = store;
  const isErased = createIsErased(store);
  const puts = changes.flatMap((change) => readPut(change) ?? []);
  const order = puts.filter(({ topic }) => topic === 'ALL');
  const entries = puts.filter(({ topic }) => topic !== 'ALL');
  const refs = order.flatMap(readRefs);
  const made = changes.filter(
    (change) => change.pk.startsWith('USER#') && /^(USER$|POST#)/.test(change.sk) && !isRewrite(change),
  );
  const logged = Map.groupBy(
    entries.map((entry) => ({ ...toTold(entry), topic: entry.topic })),
    ({ topic }) => topic,
  );
  const ordered = Map.groupBy(refs, ({ name }) => findTopic(name));
  const topics = Map.groupBy(made, (change) => findTopic(nameChange(change)));
  return [
    ...[...topics].flatMap(([topic, changes]) => [
      ...compare(`the log of ${topic}`, changes, logged.get(topic) ?? []),
      ...compare(`the order log, as for ${topic},`, changes, ordered.get(topic) ?? []),
    ]),
    ...entries
      .filter((entry) => !(isErased(entry.topic) && isEmpty(entry)))
      .flatMap((entry) => checkContent(entry, made, namesActor)),
    ...checkRefs(refs, entries),
    ...[...Map.groupBy(order, ({ epoch }) => epoch).values()].flatMap(checkNumbers),
    ...changes
      .filter((change) => isReplaced(change) && !isErased(change.pk))
      .map(({ pk, sk }) => `${pk} ${sk} was replaced`),
  ];
}

const isEntry = ({ pk, sk }: Change) => pk.startsWith('CHANGES#') && sk !== 'HEAD';
const isReplaced = (change: Change) => isEntry(change) && change.before !== undefined && change.after !== undefined;

function readPut(change: Change): Put | undefined {
  const { pk, sk, commit, before, after } = change;
  if (!isEntry(change) || before || !after) return undefined;
  // Parses `CHANGES#<epoch>#<topic>`.
  const [, epoch = '', ...topic] = pk.split('#');
  return { epoch, topic: topic.join('#'), sk, commit, item: after };
}

const KINDS = ['CREATED', 'UPDATED', 'DELETED'];
const nameKind = ({ before, after }: Change) => KINDS[before ? (after ? 1 : 2) : 0];
const formatSequence = ({ position }: Change) => `1${String(position).padStart(20, '0')}`;
const trim = (sequence = '') => sequence.replace(/^0+/, '');

const nameChange = (change: Change) => `${nameKind(change)} ${findId(change)} ${formatSequence(change)}`;

const findId = ({ pk, sk }: Change) =>
  [pk.slice('USER#'.length), ...(sk === 'USER' ? [] : [sk.slice('POST#'.length)])].join('.');

function findTopic(name: string): string {
  const [author, own] = name.split(' ')[1]?.split('.') ?? [];
  return `${own === undefined ? 'USER' : 'POSTS'}#${author}`;
}

const toTold = ({ sk, commit, item }: Put): Told => ({
  name: `${item.kind?.S} ${item.id?.S} ${trim(sk)}`,
  commit,
  item,
});

const readRefs = ({ commit, item }: Put): Told[] =>
  (item.refs?.L ?? []).map(({ L }) => ({ name: (L ?? []).map(({ S }) => S).join(' '), commit }));

/** Compares the order of changes, not their positions. */
function compare(log: string, made: Change[], told: Told[]): string[] {
  const expected = made.map(nameChange);
  const names = told.map(({ name }) => name);
  const at = expected.findIndex((name, index) => names[index] !== name);
  if (at >= 0) return [`${log} has ${names[at] ?? 'nothing'} where ${expected[at]} is next`];
  return names.slice(expected.length).map((name) => `${log} has ${name} once more`);
}

/** True if the stream record arrived after the user's erasure. */
const isEmpty = ({ item }: Put): boolean => item.before === undefined && item.item?.NULL === true;

function checkContent({ topic, sk, item }: Put, made: Change[], namesActor: NamesActor): string[] {
  const change = made.find((each) => formatSequence(each) === trim(sk));
  if (!change) return [`the log of ${topic} has ${sk}, which is no change`];
  const { before, after } = change;
  const version = after?.version?.N ?? String(Number(before?.version?.N) + 1);
  const isRight =
    isSameItem(item.item?.M, after && withoutRecord(after)) &&
    isSameItem(item.before?.M, before && pickReplaced(before, after)) &&
    item.version?.N === version &&
    (!after || item.at?.S === after.updatedAt?.S) &&
    namesActor(change, item);
  return isRight ? [] : [`the log of ${topic} tells another change at ${sk} than was made`];
}

const withoutRecord = ({ derived: _, ...item }: Item): Item => item;

function pickReplaced(before: Item, after: Item = {}): Item {
  const isTold = (name: string) => !['pk', 'sk', 'directory', 'writeId', 'derived'].includes(name);
  const none: Value = { NULL: true };
  return Object.fromEntries(
    Object.keys({ ...before, ...after })
      .filter((name) => isTold(name) && !isEqual(before[name], after[name]))
      .map((name) => [name, before[name] ?? none]),
  );
}

/** Finds refs that were visible before their entry. */
function checkRefs(refs: Told[], entries: Put[]): string[] {
  const commits = new Map(entries.map((entry) => [toTold(entry).name, entry.commit]));
  return refs
    .filter(({ name, commit }) => !((commits.get(name) ?? Number.POSITIVE_INFINITY) < commit))
    .map(({ name }) => `the order log had ${name} before its entry was there`);
}

const TOLERANCE_MS = 10_000;
const A_DAY_MS = 24 * 3_600_000;

/**
 * Finds wrong numbers. Numbers rise without gaps, except where the log restarts after a day. Closing entries have no
 * refs and may reuse the number of an expired entry.
 */
function checkNumbers(order: Put[]): string[] {
  const telling = order.filter(({ item }) => item.refs?.L?.length !== 0);
  return telling.flatMap(({ sk, item }, index) => {
    const last = telling[index - 1];
    const [number, previous, lastNumber] = [Number(sk), Number(item.previous?.N), Number(last?.sk ?? 0)];
    const elapsed = Number(item.at?.N) - Number(last?.item.at?.N ?? 0);
    if (number <= lastNumber) return [`the order log has the number ${number} after ${lastNumber}`];
    if (elapsed < 0) return [`the time of the order log falls at ${number}`];
    const isNext = previous === lastNumber && number === lastNumber + 1;
    const isFirst = previous === 0 && elapsed > A_DAY_MS - TOLERANCE_MS;
    return isNext || isFirst ? [] : [`the entry ${number} of the order log does not follow its predecessor`];
  });
}
