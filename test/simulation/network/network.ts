import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { Answer } from '../database/database.ts';
import { currentInvocation, type Invocation, type World } from '../environment/world.ts';
import { FAULTS, type Fault, OUTAGE_RATES } from '../options.ts';
import { createRandom, type Random } from '../random.ts';
import * as answers from './requests.ts';
import { chooseView, describeRequest, type Request } from './requests.ts';

const PUT_EVENTS = 'PutEvents';
/** Maximum sum of the fault rates: a history that always fails tests nothing and never ends. */
const MAX_FAULT_RATE = 0.8;
const decoder = new TextDecoder();

type Sent = Parameters<NodeHttpHandler['handle']>;

/** Replaces the SDK's HTTP handler, so that requests pass through the whole SDK first. */
export function installFakeHttpHandler(): void {
  NodeHttpHandler.prototype.handle = (async (
    { headers, body }: Sent[0],
    { abortSignal }: NonNullable<Sent[1]> = {},
  ) => {
    const invocation = currentInvocation();
    if (!invocation) throw new Error('A request outside of a simulated invocation');
    if (invocation.dead) return new Promise(() => {});
    const request = describeRequest(
      `${invocation.id}/${++invocation.requests}`,
      headers['x-amz-target'] ?? '',
      typeof body === 'string' ? body : decoder.decode(body),
    );
    // The cast is needed, because the SDK's AbortSignal type differs.
    return invocation.world.network.send(request, invocation, abortSignal as AbortSignal | undefined);
  }) as NodeHttpHandler['handle'];
}

export type Response = { response: { statusCode: number; headers: Record<string, string>; body: Uint8Array } };
type Flight = { request: Request; invocation: Invocation; sentAtCommit: number; random: Random; shared: Set<string> };

/** Every request takes time and has at most one fault. */
export class Network {
  readonly #world: World;
  readonly #inFlight = new Set<Flight>();
  #outageStart: number | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  send(request: Request, invocation: Invocation, signal?: AbortSignal): Promise<Response> {
    const { clock, seed, database, requestTimeout, options } = this.#world;
    const random = createRandom(`${seed} ${request.id} network`);
    const shared = this.#sharedKeys(request, invocation);
    const flight = { request, invocation, sentAtCommit: database.store.commits, random, shared };
    this.#inFlight.add(flight);
    const fault = this.#chooseFault(flight);
    return new Promise((resolve, reject) => {
      const unlessDead = (act: () => void) => () => {
        if (!invocation.dead) act();
      };
      let isDelivered = false;
      const deliver = () => {
        if (isDelivered) return;
        isDelivered = true;
        const answer = this.#deliver(flight, fault);
        const isLost = fault === 'lost request' || fault === 'lost answer';
        const settle = () => (isLost ? reject(answers.connectionReset()) : resolve(toResponse(answer)));
        clock.schedule(
          chooseDelay(random, fault === 'slow answer' ? options.maxLateMs : undefined),
          unlessDead(settle),
        );
      };
      clock.schedule(chooseDelay(random, fault === 'slow request' ? options.maxLateMs : undefined), deliver);
      const giveUp = (error: unknown) => {
        clock.schedule(random.int(0, options.maxAfterAbortMs), deliver);
        unlessDead(() => reject(error))();
      };
      clock.schedule(requestTimeout, () => giveUp(answers.timeoutError()));
      signal?.addEventListener('abort', () => giveUp(signal.reason));
      if (signal?.aborted) giveUp(signal.reason);
    });
  }

  #chooseFault(flight: Flight): Fault | undefined {
    const { excluded, report } = this.#world;
    const rates = FAULTS.map((each) => (this.#canMeet(flight, each) ? this.#rate(each) : 0));
    const sum = rates.reduce((total, rate) => total + rate, 0);
    let luck = flight.random.next() * Math.max(1, sum / MAX_FAULT_RATE);
    const fault = FAULTS.find((_, at) => {
      luck -= rates[at] ?? 0;
      return luck < 0;
    });
    if (!fault || excluded.has(flight.request.id)) return undefined;
    flight.invocation.faults.push(fault);
    report(flight.request.id, fault);
    return fault;
  }

  #rate(fault: Fault): number {
    const { options, clock } = this.#world;
    if (options.outageMs > 0) this.#outageStart ??= clock.now;
    const isOut = clock.now < (this.#outageStart ?? 0) + options.outageMs;
    return (isOut ? OUTAGE_RATES[fault] : undefined) ?? options.rates[fault];
  }

  #canMeet({ request, shared }: Flight, fault: Fault): boolean {
    if (fault === 'unprocessed') return /^(Batch|PutEvents)/.test(request.operation);
    if (fault === 'conflict') return shared.size > 0;
    return true;
  }

  /** Returns the request's keys that other writes in flight contain. */
  #sharedKeys({ keys, writes, operation }: Request, invocation: Invocation): Set<string> {
    if (!writes || operation.startsWith('Batch')) return new Set();
    const others = [...this.#inFlight].filter((other) => other.invocation !== invocation && other.request.writes);
    const theirs = new Set(others.flatMap(({ request }) => request.keys));
    return new Set(keys.filter((key) => theirs.has(key)));
  }

  #deliver(flight: Flight, fault: Fault | undefined): Answer {
    const { request, invocation } = flight;
    const answer = this.#answer(flight, fault);
    this.#inFlight.delete(flight);
    const { operation, keys } = request;
    this.#world.trace(`${request.id} ${operation} ${keys.join(', ')} ${fault ?? ''} ${JSON.stringify(answer.body)}`);
    if ((fault === 'crash before' || fault === 'crash after') && !invocation.dead) invocation.crash();
    return answer;
  }

  #answer(flight: Flight, fault: Fault | undefined): Answer {
    const { request, sentAtCommit, random, shared } = flight;
    const { operation } = request;
    const { database, bus, clock, options, seed } = this.#world;
    const view = chooseView(request, options, {
      seed,
      now: clock.now,
      sentAtCommit,
      lastCommit: database.store.commits,
    });
    const execute = (input: object = request.input) => {
      if (operation === PUT_EVENTS) return bus.put(input, clock.now, fault, random);
      return database.execute(operation, input, {
        at: clock.now,
        by: request.id,
        view,
        itemsPerPage: options.itemsPerPage,
      });
    };
    switch (fault) {
      case 'lost request':
      case 'crash before':
        return { status: 0, body: {} };
      case 'throttled':
        return answers.throttledAnswer(request, random);
      case 'conflict':
        return answers.conflictAnswer(request, shared);
      case 'server error':
        // DynamoDB may have executed the request before a server error.
        if (random.chance(0.5)) execute();
        return answers.serverErrorAnswer;
      case 'unprocessed':
        return operation === PUT_EVENTS ? execute() : answers.answerPart(request, random, execute);
      default:
        return execute();
    }
  }
}

const chooseDelay = (random: Random, maxLateMs: number | undefined) =>
  maxLateMs !== undefined ? random.int(500, maxLateMs) : random.chance(0.1) ? random.int(20, 200) : random.int(1, 20);

const toResponse = ({ status, body }: Answer): Response => ({
  response: { statusCode: status, headers: {}, body: Buffer.from(JSON.stringify(body)) },
});
