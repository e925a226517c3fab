import fc from 'fast-check';
import { expect } from 'vitest';
import { ServiceError } from '../../../../lib/errors.ts';
import { indexPages } from '../../../../lib/features/page-index/indexer.ts';
import { verifyCounts } from '../../../../lib/features/page-index/verify.ts';
import { deleteUser } from '../../../../lib/users/delete.ts';
import { findUser } from '../../../../lib/users/get.ts';
import { listUsers, type UserPage } from '../../../../lib/users/list.ts';
import { crash, createUsersAt, interrupt, pause } from './fixtures.ts';

/** `pick` counts around the users there are. */
type Simple =
  | { act: 'create'; count: number; apartMs: number }
  | { act: 'delete'; pick: number }
  | { act: 'index' | 'verify' };

/** Also with something else before one of its requests, or cut off at one of its writes. */
export type Step =
  | Simple
  | { act: 'wait'; ms: number }
  | { during: Simple; request: number; other: Simple }
  | { crash: Simple; write: number; isWritten: boolean };

const create = (apartMs: number[]) =>
  fc.record({
    act: fc.constant('create' as const),
    count: fc.integer({ min: 1, max: 9 }),
    apartMs: fc.constantFrom(...apartMs),
  });
const remove = fc.record({ act: fc.constant('delete' as const), pick: fc.nat(50) });
const run = fc.constantFrom({ act: 'index' as const }, { act: 'index' as const }, { act: 'verify' as const });
const wait = fc.record({ act: fc.constant('wait' as const), ms: fc.constantFrom(700, 3_000, 7_000, 80_000, 200_000) });
const busy = fc.oneof(run, remove);
const interrupted = fc.record({ during: busy, request: fc.nat(12), other: fc.oneof(run, remove, create([0])) });
const crashed = fc.record({ crash: busy, write: fc.nat(4), isWritten: fc.boolean() });

export const steps = fc.array(fc.oneof(create([0, 1, 700, 5_000]), remove, run, wait, wait, interrupted, crashed), {
  minLength: 3,
  maxLength: 20,
});

/** After this time every read shows a create or delete. */
const VISIBLE_MS = 10_000;

type ModelUser = { id: string; createdAt: number; deletedAt?: number };

export class Model {
  readonly #fanout: { users: number; blocks: number };
  readonly #users: ModelUser[] = [];

  constructor(blocks: number) {
    this.#fanout = { users: 2, blocks };
  }

  async apply(step: Step): Promise<void> {
    if ('during' in step)
      await interrupt(
        () => this.#do(step.during),
        step.request,
        () => this.#do(step.other),
      );
    else if ('crash' in step) await crash(() => this.#do(step.crash), step.write, step.isWritten);
    else if (step.act === 'wait') await pause(step.ms);
    else await this.#do(step);
  }

  async #do(step: Simple): Promise<void> {
    if (step.act === 'create') await this.#create(step);
    else if (step.act === 'delete') await this.#delete(step.pick);
    else if (step.act === 'index') await indexPages({ fanout: this.#fanout, pause });
    else await this.#verify();
  }

  async #create({ count, apartMs }: { count: number; apartMs: number }): Promise<void> {
    for (let user = 0; user < count; user++) {
      await pause(apartMs);
      const [id = ''] = await createUsersAt([Date.now()]);
      this.#users.push({ id, createdAt: Date.now() });
    }
    this.#users.sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  /** A crash leaves it to the table whether the user was deleted. */
  async #delete(pick: number): Promise<void> {
    const users = this.#users.filter(({ deletedAt }) => deletedAt === undefined);
    const user = users[pick % users.length];
    if (!user) return;
    try {
      await deleteUser({ id: user.id }, 'test');
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'NOT_FOUND')) throw error;
    } finally {
      if (!(await findUser(user.id))) user.deletedAt ??= Date.now();
    }
  }

  /** Nothing that lags only as much as is allowed for is ever repaired. */
  async #verify(): Promise<void> {
    for await (const repairs of verifyCounts(Date.now(), pause)) expect(repairs).toEqual([]);
  }

  /** Pages may or may not show what has just been created or deleted, and nothing else. */
  async expectPages(limit: number): Promise<void> {
    const settled = Date.now() - VISIBLE_MS;
    const possible = this.#users.filter(({ deletedAt }) => deletedAt === undefined || deletedAt > settled);
    const certain = possible.filter((user) => user.createdAt <= settled && user.deletedAt === undefined);
    for (const order of ['asc', 'desc'] as const)
      for (let page = 1; page <= possible.length / limit + 2; page++)
        expectPossible(await listUsers({ page, limit, order }), { page, limit, order }, { certain, possible });
  }
}

type Page = { page: number; limit: number; order: 'asc' | 'desc' };

function expectPossible(
  { users, total = 0 }: UserPage,
  { page, limit, order }: Page,
  { certain, possible }: { certain: ModelUser[]; possible: ModelUser[] },
): void {
  const isBefore = (one: string, other: string) => (order === 'asc' ? one < other : one > other);
  const rank = (among: ModelUser[], id: string) => among.filter((user) => isBefore(user.id, id)).length;
  expect(total).toBeGreaterThanOrEqual(certain.length);
  expect(total).toBeLessThanOrEqual(possible.length);
  const offset = (page - 1) * limit;
  for (const [at, { id }] of users.entries()) {
    expect(possible.map((user) => user.id)).toContain(id);
    expect(offset + at).toBeGreaterThanOrEqual(rank(certain, id));
    expect(offset + at).toBeLessThanOrEqual(rank(possible, id));
  }
  expect(users.length).toBeGreaterThanOrEqual(Math.min(limit, certain.length - offset));
}
