import fc from 'fast-check';
import { ServiceError } from '../../../lib/errors.ts';
import { deleteUser } from '../../../lib/users/delete.ts';
import { findUser } from '../../../lib/users/get.ts';
import { indexPages } from '../../../lib/users/page-index/indexer.ts';
import { verifyAll } from '../../../lib/users/page-index/verify.ts';
import { crashing, createUserAt, during } from './fixtures.ts';

/** So small that a few users fill blocks of all levels. */
export const sizes = { users: 2, blocks: 2 };

/** Something that happens to the service: `wait` is a minute and a second, `pick` counts around the users there are. */
type Simple =
  | { act: 'create'; count: number; apart: number }
  | { act: 'delete'; pick: number }
  | { act: 'index' | 'recount' | 'wait' };

/** The same with something else in the middle of it, or cut off by a crash. */
export type Event =
  | Simple
  | { during: Simple; request: number; event: Simple }
  | { crash: Simple; write: number; written: boolean };

const create = fc.record({
  act: fc.constant('create' as const),
  count: fc.integer({ min: 1, max: 9 }),
  apart: fc.constantFrom(0, 1, 30_000),
});
const remove = fc.record({ act: fc.constant('delete' as const), pick: fc.nat(50) });
const run = fc.constantFrom({ act: 'index' as const }, { act: 'recount' as const });
const disturbed = fc.record({ during: fc.oneof(run, remove), request: fc.nat(12), event: fc.oneof(run, remove) });
const crashed = fc.record({ crash: fc.oneof(run, remove), write: fc.nat(4), written: fc.boolean() });

export const events = fc.array(
  fc.oneof(create, remove, run, fc.constant({ act: 'wait' as const }), disturbed, crashed),
  {
    minLength: 1,
    maxLength: 14,
  },
);

/** The service, and beside it what it should show: the users in order, and who is gone. */
export class Model {
  now = Date.parse('2026-01-01');
  users: string[] = [];
  readonly deleted = new Set<string>();

  async apply(event: Event): Promise<unknown> {
    if ('during' in event)
      return during(
        () => this.#do(event.during),
        event.request,
        () => this.#do(event.event),
      );
    if ('crash' in event) return crashing(() => this.#do(event.crash), event.write, event.written);
    return this.#do(event);
  }

  /** The index has reached every user. */
  async catchUp() {
    this.now += 61_000;
    await this.#do({ act: 'index' });
  }

  #do(event: Simple): Promise<unknown> {
    switch (event.act) {
      case 'create':
        return this.#create(event);
      case 'delete':
        return this.#delete(event.pick);
      case 'index':
        return indexPages({ now: this.now, sizes });
      case 'recount':
        return this.#recount();
      case 'wait':
        this.now += 61_000;
        return Promise.resolve();
    }
  }

  async #recount() {
    for await (const _ of verifyAll());
  }

  async #create({ count, apart }: { count: number; apart: number }) {
    for (let made = 0; made < count; made++) {
      this.now += apart;
      this.users = [...this.users, await createUserAt(this.now)].sort();
    }
  }

  async #delete(pick: number) {
    const id = this.users[pick % this.users.length];
    if (id === undefined) return;
    try {
      await deleteUser({ id });
    } catch (error) {
      // Another delete of the same user was first.
      if (!(error instanceof ServiceError && error.code === 'NOT_FOUND')) throw error;
    } finally {
      // After a crash, whether the write was done is for the table to say.
      if (!(await findUser(id))) this.#gone(id);
    }
  }

  #gone(id: string) {
    this.deleted.add(id);
    this.users = this.users.filter((user) => user !== id);
  }
}
