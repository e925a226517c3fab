import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import { createRandom } from '../random.ts';
import { currentInvocation, type Invocation } from './world.ts';

const now = () => {
  const invocation = currentInvocation();
  return invocation ? Math.floor(invocation.world.clock.now + invocation.skew) : EPOCH;
};

const outside = createRandom('outside of invocations');
const random = () => (currentInvocation()?.random ?? outside).next();
const fill = <Bytes extends ArrayBufferView>(bytes: Bytes): Bytes => {
  const view = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < view.length; at++) view[at] = random() * 256;
  return bytes;
};

/** Replaces time and randomness. Outside invocations, time does not advance. */
export const virtualEnvironment = {
  now,
  elapsed: () => now() - EPOCH,
  timeout(delay: number): AbortSignal {
    const controller = new AbortController();
    startTimer(() => controller.abort(new DOMException('The operation timed out', 'TimeoutError')), delay);
    return controller.signal;
  },
  random,
  randomBytes: (size: number) => fill(Buffer.alloc(size)),
  randomUUID: () => toUuid(fill(new Uint8Array(16))),
};

/** Replaces time and randomness globally. Call this before importing packages that read them, e.g. the AWS SDK. */
export function virtualiseGlobals(): void {
  const RealDate = Date;
  globalThis.Date = class VirtualDate extends RealDate {
    constructor(...given: unknown[]) {
      // The cast picks a signature, because Date's constructor has several.
      super(...((given.length === 0 ? [now()] : given) as [number]));
    }
    static override now = now;
  } as DateConstructor;
  Math.random = random;
  const { randomUUID, randomBytes } = virtualEnvironment;
  replace(crypto, { randomUUID, randomBytes });
  replace(globalThis.crypto, { randomUUID, getRandomValues: fill });
  const functions = { setTimeout: startTimer, clearTimeout: stopTimer, setImmediate: startImmediate };
  replace(timers, functions);
  replace(globalThis, functions);
  replace(timersPromises, { setTimeout: sleep });
  syncBuiltinESMExports();
}

/** Defines properties, because some cannot be assigned: they have only a getter. */
function replace(object: object, functions: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(functions))
    Object.defineProperty(object, name, { value, configurable: true, writable: true });
}

/** Start of all histories, in ms. */
export const EPOCH = Date.parse('2026-01-01');

/** RFC 9562 section 5.4 */
function toUuid(bytes: Uint8Array): `${string}-${string}-${string}-${string}-${string}` {
  const digits = Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{12})./, '$14');
  const [a, b, c, d] = [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(17, 20)];
  return `${a}-${b}-${c}-8${d}-${digits.slice(20)}`;
}

type Timer = { cancel(): void; unref(): Timer; ref(): Timer; hasRef(): boolean; [Symbol.toPrimitive](): number };

function startTimer(callback: (...values: unknown[]) => void, delay = 0, ...values: unknown[]): Timer {
  const invocation = currentInvocation();
  const inContext = AsyncLocalStorage.bind(() => callback(...values));
  const cancel = invocation ? schedule(invocation, delay, inContext) : () => {};
  const timer: Timer = {
    cancel,
    unref: () => timer,
    ref: () => timer,
    hasRef: () => false,
    [Symbol.toPrimitive]: () => 0,
  };
  return timer;
}

const startImmediate = (callback: (...values: unknown[]) => void, ...values: unknown[]) =>
  startTimer(callback, 0, ...values);
const stopTimer = (timer: Timer | undefined) => timer?.cancel?.();

/** Schedules a task of an invocation. A dead invocation runs no more tasks. */
const schedule = (invocation: Invocation, delay: number, run: () => void) =>
  invocation.world.clock.schedule(delay, () => {
    if (!invocation.dead) run();
  });

function sleep<Value>(delay = 0, value?: Value, { signal }: { signal?: AbortSignal } = {}): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = startTimer(() => resolve(value), delay);
    signal?.addEventListener('abort', () => {
      timer.cancel();
      reject(signal.reason);
    });
  });
}

export function silenceConsole(): void {
  // Drops stack traces: V8's optimizations change their length, and thus the trace of a seed.
  const leaveOutStack = (name: string, value: unknown) => (name === 'stack' ? undefined : value);
  const keep = (level: string) => (line: unknown) => {
    const invocation = currentInvocation();
    invocation?.world.trace(`${invocation.id} ${level} ${JSON.stringify(line, leaveOutStack)}`);
  };
  Object.assign(console, { info: () => {}, warn: keep('warns'), error: keep('logs') });
}
