import { Writable } from 'node:stream';
import { createGraphqlEvent } from '../../setup/event.ts';
import type { NamesActor } from '../checks/actors.ts';
import { findErasureRequest } from '../checks/erasures.ts';
import { type Change, isRewrite } from '../database/store.ts';
import type { Handlers } from '../environment/service.ts';
import { invoke, type Server, type World } from '../environment/world.ts';
import type { Subscription, Topic } from '../workload/plan.ts';

type SeenUser = {
  id: string;
  name: string;
  email: string;
  nickname: string | null;
  badge: number | null;
  motto: string | null;
  version: number;
  createdAt: string;
  updatedAt: string;
};
type SeenPost = { id: string; title: string; publishedAt: string | null };

type SeenChange = {
  cursor: string;
  kind: string;
  id: string;
  at: string;
  by: string | null;
  entity: SeenUser | SeenPost | null;
};

/** `time` in ms. `commit`: number of commits until then. */
type Moment = { time: number; commit: number };

/**
 * One part of the subscription, with all connections until the cursor expires. Changes between `asked` and `opened` may
 * be missing if `from` is 'now'.
 */
export type SubscriptionPart = {
  from: Subscription['from'];
  asked: Moment;
  opened: Moment;
  seen: SeenChange[];
  ended?: Moment;
};

const FUNCTION_TIMEOUT_MS = 120_000;
const RECONNECTS_AFTER_MS = 100;
/** The subscriber requests changes from this long before its start, because clocks differ. */
const ASKS_FROM_MS = 3_000;
/** Tolerance for clock differences and rounding. */
const TOLERANCE_MS = 2 * 750 + 1_000;
/** `CURSOR_TOLERANCE_MS`: skewed clocks may expire a cursor earlier. */
const [CURSOR_LASTS_MS, CURSOR_TOLERANCE_MS] = [24 * 3_600_000, 10_000];
const UUID_LENGTH = 36;

const USER = 'entity: user { id name email nickname badge motto version createdAt updatedAt }';
const DOCUMENTS = {
  users: `subscription ($after: ID) { change: userChanged(after: $after) { cursor kind id at by ${USER} } }`,
  user: `subscription ($after: ID, $id: ID!) { change: userChanged(id: $id, after: $after) { cursor kind id at by ${USER} } }`,
  posts: `subscription ($after: ID, $id: ID!) {
    change: postChanged(authorId: $id, after: $after) { cursor kind id at by entity: post { id title publishedAt } }
  }`,
};

export class Subscriber {
  readonly parts: SubscriptionPart[] = [];
  readonly violations: string[] = [];
  readonly #world: World;
  readonly #handlers: Handlers;
  readonly #subscription: Subscription;
  readonly #id: string | undefined;
  readonly #connectTo: () => Server;
  #stream: Writable | undefined;
  #resume: Promise<void> | undefined;
  #isClosed = false;

  /** `id`: the user to follow, or the posts' author. */
  constructor(
    world: World,
    handlers: Handlers,
    subscription: Subscription,
    id: string | undefined,
    connectTo: () => Server,
  ) {
    this.#world = world;
    this.#handlers = handlers;
    this.#subscription = subscription;
    this.#id = id;
    this.#connectTo = connectTo;
  }

  async run(): Promise<void> {
    const { topic } = this.#subscription;
    for (let connection = 1; !this.#isClosed; connection++) {
      const part = this.#continue();
      const after = this.#chooseStart(part);
      const event = createGraphqlEvent('POST', {
        headers: { accept: 'text/event-stream' },
        body: { query: DOCUMENTS[topic], variables: { after, ...(this.#id ? { id: this.#id } : {}) } },
      });
      const stream = this.#connect(part);
      await invoke(
        this.#world,
        `subscriber-${topic}-${connection}`,
        FUNCTION_TIMEOUT_MS,
        () => this.#handlers.subscribe(event, stream),
        this.#connectTo(),
      );
      // Disconnect even after a crash of the function.
      stream.destroy();
      await this.#resume;
      if (!this.#isClosed) await this.#world.clock.sleep(RECONNECTS_AFTER_MS);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#stream?.destroy();
  }

  pause(until: Promise<void>): void {
    this.#resume = until;
    this.#stream?.destroy();
  }

  #isDeleted = () => !this.#world.database.store.find({ pk: `USER#${this.#id}`, sk: 'USER' })?.versions.at(-1)?.item;

  #now = (): Moment => ({ time: this.#world.clock.now, commit: this.#world.database.store.commits });

  /** Returns the last part. Starts a new one if the last has ended, or has `from: 'now'` and no cursor yet. */
  #continue(): SubscriptionPart {
    const last = this.parts.at(-1);
    if (last && !last.ended && (last.seen.length > 0 || this.#subscription.from === 'time')) return last;
    if (last && !last.ended) this.parts.pop();
    const part = { from: this.#subscription.from, asked: this.#now(), opened: NEVER, seen: [] };
    this.parts.push(part);
    return part;
  }

  #chooseStart({ asked, seen }: SubscriptionPart): string | null {
    const cursor = seen.at(-1)?.cursor;
    if (cursor !== undefined) return cursor;
    return this.#subscription.from === 'now' ? null : new Date(asked.time - ASKS_FROM_MS).toISOString();
  }

  /** Opens a stream that disconnects after the planned number of events. */
  #connect(part: SubscriptionPart): Writable {
    let events = 0;
    const take = (text: string) => {
      this.#world.trace(`subscriber gets ${text.trim()}`);
      if (text.startsWith('{')) return this.#takeError(text, part);
      if (part.opened === NEVER) part.opened = this.#now();
      const data = /^event: next\ndata: (.*)\n\n$/.exec(text)?.[1];
      if (!data) return;
      const { data: result, errors } = JSON.parse(data);
      if (errors) return this.#world.trace('subscriber gets an error');
      part.seen.push(result.change);
      if (++events >= this.#subscription.eventsPerConnection) stream.destroy();
    };
    const stream = new Writable({
      decodeStrings: false,
      write(chunk, _, done) {
        take(String(chunk));
        done();
      },
    });
    stream.on('error', () => {});
    this.#stream = stream;
    return stream;
  }

  /** Returns when the change was made: an imported user's `at` may be any time. */
  #findTime({ id, at }: SeenChange): number {
    const isOf = ({ pk, after }: Change) => pk === `USER#${id}` && after?.updatedAt?.S === at;
    return this.#world.database.store.changes.find(isOf)?.at ?? Date.parse(at);
  }

  #takeError(text: string, part: SubscriptionPart): void {
    if (/SERVICE_UNAVAILABLE|TOO_MANY_REQUESTS/.test(text)) return;
    const last = part.seen.at(-1);
    const since = last ? this.#findTime(last) : part.asked.time;
    const isOld = this.#world.clock.now - since > CURSOR_LASTS_MS - CURSOR_TOLERANCE_MS;
    if (/is too old/.test(text) && isOld) part.ended = this.#now();
    else if (/NOT_FOUND/.test(text) && this.#isDeleted()) this.close();
    else this.violations.push(`a subscriber got ${text}`);
  }
}

const NEVER: Moment = { time: Number.POSITIVE_INFINITY, commit: Number.POSITIVE_INFINITY };

type Followed = { topic: Topic; id: string | undefined; namesActor: NamesActor };

/**
 * Checks that the subscriber got every change of its topic once, unaltered, and in order per user or author. The
 * request of an erasure hides creations and updates until the user returns, also of posts that are not purged yet. The
 * subscriber may miss them.
 */
export function checkSubscription(
  changes: Change[],
  part: SubscriptionPart,
  { topic, id, namesActor }: Followed,
): string[] {
  const { seen, ended } = part;
  const isFollowed = (change: Change) =>
    change.pk.startsWith('USER#') &&
    (topic === 'posts' ? change.sk.startsWith('POST#') : change.sk === 'USER' && !isRewrite(change)) &&
    (id === undefined || change.pk === `USER#${id}`);
  const made = Map.groupBy(changes.filter(isFollowed), ({ pk }) => pk.slice('USER#'.length));
  const got = Map.groupBy(seen, (event) => event.id.slice(0, UUID_LENGTH));
  const { isPossible, isCertain } = chooseBounds(part, topic);
  const problems = [...new Set([...made.keys(), ...got.keys()])].flatMap((key) => {
    const own = made.get(key) ?? [];
    const places: number[] = [];
    for (const event of got.get(key) ?? []) {
      const place = own.findIndex((change, at) => at > (places.at(-1) ?? -1) && isSame(change, event, namesActor));
      const change = own[place];
      if (!change || !isPossible({ ...change, at: Math.max(change.at, findLatestTime(event, change)) }))
        return [`got ${JSON.stringify(event)}, which is not next of ${key}`];
      places.push(place);
    }
    const last = ended ? (places.at(-1) ?? -1) : own.length;
    const erasure = findErasureRequest(changes, key);
    const isHidden = ({ after, commit }: Change) =>
      after !== undefined && erasure !== undefined && commit < findReturn(changes, key, erasure);
    const missed = own.filter(
      (change, at) => at < last && isCertain(change) && !isHidden(change) && !places.includes(at),
    );
    return missed.map((change) => `missed ${describe(change)} of ${key}`);
  });
  if (new Set(seen.map(({ cursor }) => cursor)).size < seen.length) problems.push('got a cursor twice');
  return problems.map((problem) => `a subscriber of ${topic} ${problem}`);
}

/** Returns the commit of the user's first creation after the erasure. */
function findReturn(changes: Change[], id: string, erasure: number): number {
  const isReturn = ({ pk, sk, before, commit }: Change) =>
    pk === `USER#${id}` && sk === 'USER' && !before && commit > erasure;
  return changes.find(isReturn)?.commit ?? Number.POSITIVE_INFINITY;
}

/**
 * Returns which changes the subscriber may and must get. Compares commits for one user with `from: 'now'`, otherwise
 * times.
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

/** The service takes a later time of an imported user for a clock that is this far ahead. */
const MAX_AHEAD_MS = 65_000;

/** For a deletion, the time at which its stream record was consumed, which subscribers see. */
const findLatestTime = ({ entity, at }: SeenChange, change: Change) =>
  entity ? Math.min(Date.parse(at), change.at + MAX_AHEAD_MS) : Date.parse(at);

const describe = ({ before, after }: Change) =>
  `${before ? (after ? 'UPDATED' : 'DELETED') : 'CREATED'} ${JSON.stringify(after ?? null)}`;

function isSame(change: Change, { kind, id, at, by, entity }: SeenChange, namesActor: NamesActor): boolean {
  const { pk, sk, before, after } = change;
  if (!namesActor(change, { by: { S: by ?? '' }, at: { S: at } })) return false;
  if (kind !== (before ? (after ? 'UPDATED' : 'DELETED') : 'CREATED')) return false;
  const own = pk.slice('USER#'.length);
  if (id !== (sk === 'USER' ? own : `${own}.${sk.slice('POST#'.length)}`)) return false;
  if (!after || !entity) return !after && !entity;
  const { id: shownId, ...shown } = entity;
  const stored = { ...after, ...after.fields?.M };
  const isEqual = Object.entries(shown).every(([name, value]) => {
    const { S, N } = stored[name] ?? {};
    return (S ?? (N === undefined ? null : Number(N))) === value;
  });
  return shownId === id && isEqual && at === after.updatedAt?.S;
}
