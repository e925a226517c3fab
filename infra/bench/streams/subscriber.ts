import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** `version`: the user's current version. `clientAddress`: the service limits streams per address. */
export type Target = { url: string; clientAddress: string; userId: string; version: number };

/** `at`: time in ms. */
export type Arrival = { userId: string; version: number; at: number };

const DOCUMENT = `subscription ($id: ID, $after: ID) {
  userChanged(id: $id, after: $after) { cursor user { id version name } }
}`;

type Result = { data?: { userChanged: { cursor: string; user: { id: string; version: number } } } };

const RETRY_MS = 1_000;

/**
 * Subscribes to one user. Like graphql-sse, resumes a stream that ends without `complete`. Any event but the user's
 * next version is a violation.
 */
export class Subscriber {
  /** Empty if each change of the user arrived once and in order. */
  readonly violations: string[] = [];
  #version: number;
  #after: string | undefined;
  #rest = '';
  #connection: IncomingMessage | undefined;
  #isClosed = false;
  readonly #target: Target;
  readonly #onArrival: (arrival: Arrival) => void;

  constructor(target: Target, onArrival: (arrival: Arrival) => void) {
    this.#target = target;
    this.#version = target.version;
    this.#onArrival = onArrival;
  }

  get version(): number {
    return this.#version;
  }

  async open(): Promise<void> {
    const startedAt = new Date().toISOString();
    const { status, response } = await this.#request().catch((error: Error) => ({
      status: error.message,
      response: undefined,
    }));
    if (this.#isClosed) return void response?.destroy();
    if (status !== 200 || !response) {
      this.violations.push(`A stream of ${this.#target.userId} was rejected: ${status}`);
      response?.resume();
      await sleep(RETRY_MS);
      return this.open();
    }
    // A stream that ends before its first cursor is resumed from this time.
    this.#after ??= startedAt;
    this.#connection = response;
    this.#rest = '';
    response.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    response.once('error', () => {}).once('close', () => this.#isClosed || void this.open());
  }

  moveTo(url: string): void {
    this.#target.url = url;
  }

  close(): void {
    this.#isClosed = true;
    this.#connection?.destroy();
  }

  #request(): Promise<{ status: number | undefined; response: IncomingMessage }> {
    const { url, clientAddress, userId } = this.#target;
    const headers = {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'x-forwarded-for': clientAddress,
    };
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    request(url, { method: 'POST', headers, agent: false }, resolve)
      .once('error', reject)
      .end(JSON.stringify({ query: DOCUMENT, variables: { id: userId, after: this.#after } }));
    return promise.then((response) => ({ status: response.statusCode, response }));
  }

  #read(text: string): void {
    const events = `${this.#rest}${text}`.split('\n\n');
    this.#rest = events.pop() ?? '';
    for (const event of events) {
      const [, data] = /^event: next\ndata: (.*)$/.exec(event) ?? [];
      if (data) this.#check(data);
      else if (event !== ':') this.violations.push(`A stream of ${this.#target.userId} sent ${event}`);
    }
  }

  #check(data: string): void {
    const { userId } = this.#target;
    const { user, cursor } = (JSON.parse(data) as Result).data?.userChanged ?? {};
    if (user?.id !== userId || user.version !== this.#version + 1)
      this.violations.push(`Version ${this.#version} of ${userId} was followed by ${data}`);
    if (!user) return;
    this.#version = user.version;
    this.#after = cursor;
    this.#onArrival({ userId: user.id, version: user.version, at: Date.now() });
  }
}
