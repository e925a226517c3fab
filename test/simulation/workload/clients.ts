import { invoke } from '../environment/invocation.ts';
import type { Handlers } from '../handlers.ts';
import type { Fault } from '../network/faults.ts';
import type { World } from '../world.ts';
import { type Api, type Call, isSameEmail, type Operation, type Outcome } from './calls.ts';
import { readGraphqlResult, toGraphqlEvent } from './graphql.ts';
import type { Step } from './plan.ts';
import { readRestResult, toRestEvent } from './rest.ts';

/** Of a Lambda function of an API, in ms. */
const FUNCTION_TIMEOUT_MS = 10_000;
const MAX_REPETITIONS = 2;

/** All clients of a history, what they know, and what they have done. */
export class Clients {
  readonly operations: Operation[] = [];
  /** What no caller may ever see: reported as they happen. */
  readonly faults: string[] = [];
  readonly #world: World;
  readonly #handlers: Handlers;
  readonly users: { id: string; version: number | undefined }[] = [];
  readonly #posts: string[] = [];
  #moment = 0;

  constructor(world: World, handlers: Handlers) {
    this.#world = world;
    this.#handlers = handlers;
  }

  async run(steps: Step[]): Promise<void> {
    for (const step of steps) {
      if (this.#world.without.has(step.id)) continue;
      await this.#world.clock.sleep(step.pause);
      const call = this.#decide(step);
      if (!call) continue;
      let { outcome } = await this.perform(step.id, step.api, call);
      // Who has an idempotency key may ask again when there was no answer.
      for (let count = 1; step.key && outcome.code === 'UNKNOWN' && count <= MAX_REPETITIONS; count++)
        ({ outcome } = await this.perform(`${step.id}-again${count}`, step.api, call));
    }
  }

  async perform(id: string, api: Api, call: Call): Promise<Operation> {
    const { clock } = this.#world;
    const sent = { sent: this.#moment++, answered: 0, times: { sent: clock.now, answered: 0 } };
    const operation: Operation = { id, api, call, ...sent, outcome: { code: 'UNKNOWN', why: '' } };
    this.operations.push(operation);
    this.#world.trace(`${id} ${api} ${JSON.stringify(call)}`);
    operation.outcome = await this.#invoke(operation);
    operation.answered = this.#moment++;
    operation.times.answered = clock.now;
    this.#world.trace(`${id} ${JSON.stringify(operation.outcome)}`);
    this.#learn(operation.outcome);
    return operation;
  }

  /** What the service shows in the end. */
  async readAll(pages: number): Promise<void> {
    for (const [at, { id }] of this.users.entries()) await this.perform(`get${at}`, 'bare', { kind: 'get', id });
    for (const [at, id] of this.#posts.entries())
      await this.perform(`getPost${at}`, 'graphql', { kind: 'getPost', id });
    for (const order of ['asc', 'desc'] as const)
      for (let page = 1; page <= pages; page++)
        await this.perform(`page${page} ${order}`, 'bare', { kind: 'list', page, limit: 4, order });
  }

  async #invoke(operation: Operation): Promise<Outcome> {
    const { id, api, call } = operation;
    const rest = api === 'graphql' ? undefined : toRestEvent(call, api);
    const { invocation, ending } = await invoke(this.#world, id, FUNCTION_TIMEOUT_MS, async () =>
      rest ? this.#handlers[rest.name](rest.event) : this.#handlers.graphql(toGraphqlEvent(call)),
    );
    try {
      if ('died' in ending) {
        if (ending.died === 'timed out') throw new Error('the function ran out of time');
        return { code: 'UNKNOWN', why: 'the function crashed' };
      }
      if ('error' in ending) throw ending.error;
      const outcome = rest ? readRestResult(call, api, ending.result) : readGraphqlResult(call, ending.result);
      if (outcome.code === 'UNKNOWN' && !this.#isExcused(operation, invocation.faults))
        throw new Error(`${outcome.why}, after ${invocation.faults.join(', ') || 'no fault'}`);
      return outcome;
    } catch (error) {
      this.faults.push(`${id} ${api} ${JSON.stringify(call)}: ${error instanceof Error ? error.message : error}`);
      return { code: 'UNKNOWN', why: 'a fault' };
    }
  }

  /**
   * One fault is for the service to get over, unless others write the same meanwhile, or a taken address may become free
   * before a late request arrives; and conflicts, however many.
   */
  #isExcused({ id, call, sent }: Operation, faults: Fault[]): boolean {
    const isMeanwhile = (other: Operation) => other.id !== id && (other.answered === 0 || other.answered > sent);
    // The id of a post begins with that of its author, with whom it is deleted.
    const isSame = (other: Call) =>
      'id' in call && 'id' in other && call.id.startsWith(other.id) && !/^get/.test(other.kind);
    const isDisturbed = this.operations.some((other) => isMeanwhile(other) && isSame(other.call));
    const mayBeTaken = this.operations.some((other) => other.id !== id && isSameEmail(call, other.call));
    return faults.filter((fault) => fault !== 'conflict').length > (isDisturbed || mayBeTaken ? 0 : 1);
  }

  #learn(outcome: Outcome): void {
    if (outcome.code !== 'OK') return;
    const { user, post } = outcome;
    if (post && !this.#posts.includes(post.id)) this.#posts.push(post.id);
    if (!user) return;
    const known = this.users.find(({ id }) => id === user.id);
    if (known) known.version = user.version ?? known.version;
    else this.users.push({ id: user.id, version: user.version });
  }

  /** Undefined where there is nobody, or nothing, to do it to. */
  #decide({ kind, pick, fields, isConditional, key, page, order, id: stepId }: Step): Call | undefined {
    const { name = '', email = '' } = fields;
    const user = this.users[Math.floor(pick * this.users.length)];
    const post = this.#posts[Math.floor(pick * this.#posts.length)];
    const ifVersion = isConditional ? user?.version : undefined;
    switch (kind) {
      case 'create':
        return { kind, name, email, key };
      case 'find':
        return { kind, email };
      case 'search':
        return { kind, text: (pick < 0.5 ? name : email).slice(0, isConditional ? 2 : 4) };
      case 'list':
        return { kind, page, limit: 3, order };
      case 'get':
        return user && { kind, id: user.id };
      case 'update':
        return user && { kind, id: user.id, ...fields, ifVersion };
      case 'delete':
        return user && { kind, id: user.id, ifVersion };
      case 'createPost':
        return user && { kind, authorId: user.id, title: name, key };
      case 'updatePost':
        return post ? { kind, id: post, title: `${stepId} ${name}` } : undefined;
      case 'publishPost':
        return post
          ? { kind, id: post, publishedAt: `2020-01-01T00:00:00.${String(Math.floor(pick * 1000)).padStart(3, '0')}Z` }
          : undefined;
      case 'getPost':
      case 'deletePost':
        return post ? { kind, id: post } : undefined;
    }
  }
}
