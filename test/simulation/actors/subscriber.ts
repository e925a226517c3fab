import { Writable } from 'node:stream';
import { createGraphqlEvent } from '../../setup/event.ts';
import { invoke } from '../environment/invocation.ts';
import type { Handlers } from '../handlers.ts';
import type { World } from '../world.ts';

/** An event of a subscription, as far as it is checked. */
export type SeenChange = {
  cursor: string;
  kind: string;
  id: string;
  entity: { version?: number; title?: string } | null;
};

const FUNCTION_TIMEOUT_MS = 120_000;
const RECONNECTS_AFTER_MS = 300;
/** Clocks differ, and what is new is told by them. */
const ASKS_FROM_MS = 3_000;

const DOCUMENTS = {
  users: 'subscription ($after: ID) { change: userChanged(after: $after) { cursor kind id entity: user { version } } }',
  posts: `subscription ($after: ID, $authorId: ID!) {
    change: postChanged(authorId: $authorId, after: $after) { cursor kind id entity: post { title } }
  }`,
};

/** A client of a subscription. It connects again with its last cursor whenever its stream ends, however that ends. */
export class Subscriber {
  readonly seen: SeenChange[] = [];
  readonly #world: World;
  readonly #handlers: Handlers;
  readonly #start: string;
  #stream: Writable | undefined;
  #isClosed = false;

  constructor(world: World, handlers: Handlers) {
    this.#world = world;
    this.#handlers = handlers;
    this.#start = new Date(world.clock.now - ASKS_FROM_MS).toISOString();
  }

  /** Until it is closed. */
  async run(topic: keyof typeof DOCUMENTS, variables: Record<string, string> = {}): Promise<void> {
    for (let connection = 1; !this.#isClosed; connection++) {
      const after = this.seen.at(-1)?.cursor ?? this.#start;
      const event = createGraphqlEvent('POST', {
        headers: { accept: 'text/event-stream' },
        body: { query: DOCUMENTS[topic], variables: { ...variables, after } },
      });
      const stream = this.#connect();
      await invoke(this.#world, `subscriber-${topic}-${connection}`, FUNCTION_TIMEOUT_MS, () =>
        this.#handlers.subscribe(event, stream),
      );
      // What a dead function has not sent yet never comes.
      stream.destroy();
      if (!this.#isClosed) await this.#world.clock.sleep(RECONNECTS_AFTER_MS);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#stream?.destroy();
  }

  /** https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md#distinct-connections-mode */
  #connect(): Writable {
    const take = (text: string) => {
      const data = /^event: next\ndata: (.*)\n\n$/.exec(text)?.[1];
      if (!data) return;
      this.#world.trace(`subscriber gets ${data}`);
      this.seen.push(JSON.parse(data).data.change);
    };
    this.#stream = new Writable({
      decodeStrings: false,
      write(chunk, _, done) {
        take(String(chunk));
        done();
      },
    });
    this.#stream.on('error', () => {});
    return this.#stream;
  }
}
