import { type Change, type Item, readFields, type Store } from '../database/store.ts';
import type { Accepted } from '../network/event-bus.ts';
import { formatMemberships, type Membership } from '../workload/memberships.ts';
import { DECLARATIONS, DEFAULTS } from '../workload/own-fields.ts';

type Event = {
  id: string;
  type: string;
  subject: string;
  time: string;
  data: { kind: string; id: string; version: number; before: Members | null; after: Members | null };
};
type Members = Record<string, unknown>;

/**
 * Checks that each log entry was published at least once, always with the same id, and that first publications were in
 * log order.
 */
export function checkEvents({ changes }: Store, all: Accepted[]): string[] {
  const accepted = all.filter(({ type }) => !type.startsWith('group.'));
  const entries = changes.filter(isEntry);
  const erased = new Set(entries.filter(({ after }) => !after?.item?.M && !after?.before).map(nameEntry));
  const events = accepted.map(({ detail }) => JSON.parse(detail) as Event);
  const contents = new Map<string, string>();
  const problems = accepted.flatMap(({ detail, type }, at) => {
    const event = events[at];
    const known = contents.get(event?.id ?? '') ?? detail;
    contents.set(event?.id ?? '', known);
    return known === detail && type === event?.type
      ? []
      : [`the event ${event?.id} was published with another content`];
  });
  const names = [...new Set(events.map(({ id }) => id))];
  // An entry written after the user's erasure has no content: only a deletion is published.
  const told = entries.filter((entry) => !erased.has(nameEntry(entry)) || entry.after?.kind?.S === 'DELETED');
  const topics = Map.groupBy(told.map(nameEntry), findTopic);
  const published = Map.groupBy(names, findTopic);
  const sequences = new Map(changes.map((change) => [formatSequence(change), change]));
  return [
    ...problems,
    ...[...new Set([...topics.keys(), ...published.keys()])].flatMap((topic) =>
      compare(topic, topics.get(topic) ?? [], published.get(topic) ?? []),
    ),
    ...events.flatMap((event) => checkContent(event, sequences.get(findSequence(event.id)), erased.has(event.id))),
  ];
}

/** Matches new log entries. Erasures and expiry change existing ones. */
const isEntry = ({ pk, before, after }: Change) => /^CHANGES#[^#]+#(USER|POSTS)#/.test(pk) && !before && !!after;

const nameEntry = ({ pk, sk }: Change) => `${pk.slice('CHANGES#'.length)}/${sk}`;
const findTopic = (name: string) => name.slice(0, name.lastIndexOf('/'));
const findSequence = (name: string) => name.slice(name.lastIndexOf('/') + 1).replace(/^0+/, '');
const formatSequence = ({ position }: Change) => `1${String(position).padStart(20, '0')}`;

function compare(topic: string, expected: string[], published: string[]): string[] {
  const at = expected.findIndex((name, index) => published[index] !== name);
  if (at >= 0) return [`the bus got ${published[at] ?? 'nothing'} of ${topic} where ${expected[at]} is next`];
  return published.slice(expected.length).map((name) => `the bus got ${name}, which is no change`);
}

function checkContent(
  { id, type, subject, time, data }: Event,
  change: Change | undefined,
  isErased: boolean,
): string[] {
  if (!change) return [`the event ${id} is of no change`];
  const { pk, sk, before, after } = change;
  const userId = pk.slice('USER#'.length);
  const recordId = sk === 'USER' ? userId : `${userId}.${sk.slice('POST#'.length)}`;
  const kind = before ? (after ? 'updated' : 'deleted') : 'created';
  const isRight =
    type === `${sk === 'USER' ? 'user' : 'post'}.${kind}` &&
    data.kind === kind.toUpperCase() &&
    subject === userId &&
    data.id === recordId &&
    data.version === Number(after?.version?.N ?? Number(before?.version?.N) + 1) &&
    (!after || time === after.updatedAt?.S) &&
    (isErased ? data.before === null : isShown(data.before, before, recordId)) &&
    isShown(data.after, after, recordId);
  return isRight ? [] : [`the event ${id} tells another change than was made: ${JSON.stringify(data)}`];
}

const INTERNAL = ['pk', 'sk', 'directory', 'writeId', 'derived', 'fields', 'by', 'merged', 'mergedFrom'];

function isShown(shown: Members | null, item: Item | undefined, recordId: string): boolean {
  if (!shown || !item) return !shown && !item;
  const { id, authorId, groups, ...others } = shown;
  const members: Members = { ...others, groups: formatMemberships((groups ?? []) as Membership[]) ?? null };
  const own = Object.entries(readFields(item)).filter(([name]) => name in DECLARATIONS.current);
  const stored = Object.entries(item).flatMap(([name, { S, N }]): [string, unknown][] =>
    INTERNAL.includes(name) ? [] : [[name, S ?? (N === undefined ? null : Number(N))]],
  );
  const expected: Members = { ...(authorId === undefined ? DEFAULTS : {}), ...Object.fromEntries([...stored, ...own]) };
  const names = new Set([...Object.keys(expected), ...Object.keys(members)]);
  return (
    id === recordId &&
    (authorId === undefined || recordId.startsWith(`${authorId}.`)) &&
    [...names].every((name) => (members[name] ?? null) === (expected[name] ?? null))
  );
}
