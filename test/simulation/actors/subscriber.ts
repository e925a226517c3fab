import { Writable } from 'node:stream';
import { createGraphqlEvent } from '../../setup/event.ts';
import { invoke } from '../environment/invocation.ts';
import type { Handlers } from '../environment/service.ts';
import type { Subscription } from '../workload/plan.ts';
import type { World } from '../world.ts';

type SeenUser = { id: string; name: string; email: string; version: number; createdAt: string; updatedAt: string };
type SeenPost = { id: string; title: string; publishedAt: string | null };

/** An event of a subscription. */
export type SeenChange = {
  cursor: string;
  kind: string;
  id: string;
  at: string;
  entity: SeenUser | SeenPost | null;
};

/** A moment of the history: in ms, and in commits of the database. */
export type Moment = { time: number; commit: number };

/**
 * What came of one subscription, over all of its connections. It asked for changes from `asked` on, and was subscribed
 * at `opened`; changes between the two may be new or not. `ended`: its cursor has become too old.
 */
export type SubscriptionPart = {
  from: Subscription['from'];
  asked: Moment;
  opened: Moment;
  seen: SeenChange[];
  ended?: Moment;
};

const FUNCTION_TIMEOUT_MS = 120_000;
const RECONNECTS_AFTER_MS = 300;
/** Clocks differ, and what is new is told by them. */
const ASKS_FROM_MS = 3_000;

const USER = 'entity: user { id name email version createdAt updatedAt }';
const DOCUMENTS = {
  users: `subscription ($after: ID) { change: userChanged(after: $after) { cursor kind id at ${USER} } }`,
  user: `subscription ($after: ID, $id: ID!) { change: userChanged(id: $id, after: $after) { cursor kind id at ${USER} } }`,
  posts: `subscription ($after: ID, $id: ID!) {
    change: postChanged(authorId: $id, after: $after) { cursor kind id at entity: post { id title publishedAt } }
  }`,
};

/** A client of a subscription. It connects again with its last cursor whenever its stream ends, however that ends. */
export class Subscriber {
  readonly parts: SubscriptionPart[] = [];
  /** What no subscriber may ever see: reported as it happens. */
  readonly violations: string[] = [];
  readonly #world: World;
  readonly #handlers: Handlers;
  readonly #subscription: Subscription;
  readonly #id: string | undefined;
  #stream: Writable | undefined;
  #resume: Promise<void> | undefined;
  #isClosed = false;

  /** `id` is the user to follow, or the author of the posts. */
  constructor(world: World, handlers: Handlers, subscription: Subscription, id: string | undefined) {
    this.#world = world;
    this.#handlers = handlers;
    this.#subscription = subscription;
    this.#id = id;
  }

  /** Until it is closed. */
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
      await invoke(this.#world, `subscriber-${topic}-${connection}`, FUNCTION_TIMEOUT_MS, () =>
        this.#handlers.subscribe(event, stream),
      );
      // What a dead function has not sent yet never comes.
      stream.destroy();
      await this.#resume;
      if (!this.#isClosed) await this.#world.clock.sleep(RECONNECTS_AFTER_MS);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#stream?.destroy();
  }

  /** Stays away until the promise settles. */
  pause(until: Promise<void>): void {
    this.#resume = until;
    this.#stream?.destroy();
  }

  /** Of a user who is gone, nothing is new from now on. */
  #isDeleted = () => !this.#world.database.store.find({ pk: `USER#${this.#id}`, sk: 'USER' })?.versions.at(-1)?.item;

  #now = (): Moment => ({ time: this.#world.clock.now, commit: this.#world.database.store.commits });

  /** The subscription that goes on. Without an event there is no cursor, so one from now on begins again. */
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

  /** https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md#distinct-connections-mode */
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

  #takeError(text: string, part: SubscriptionPart): void {
    if (/SERVICE_UNAVAILABLE/.test(text)) return;
    const since = Date.parse(part.seen.at(-1)?.at ?? '') || part.asked.time;
    const isOld = this.#world.clock.now - since > RETENTION_MS - TOLERANCE_MS;
    if (/is too old/.test(text) && isOld) part.ended = this.#now();
    else if (/NOT_FOUND/.test(text) && this.#isDeleted()) this.close();
    else this.violations.push(`a subscriber got ${text}`);
  }
}

/** Before a subscription was opened. */
const NEVER: Moment = { time: Number.POSITIVE_INFINITY, commit: Number.POSITIVE_INFINITY };

/** How long a cursor lasts, and what clocks may differ. */
const [RETENTION_MS, TOLERANCE_MS] = [24 * 3_600_000, 10_000];
