import type { RowResult } from '../../../infra/transfer/import-rows.ts';
import { BY_HAND, isByHand, type Key, latest } from '../database/store.ts';
import type { Handlers } from '../environment/service.ts';
import { invoke, type World } from '../environment/world.ts';
import type { Fault } from '../options.ts';
import { createRandom } from '../random.ts';
import { readGraphqlResult, readRestResult, toGraphqlEvent, toRestEvent } from '../workload/apis.ts';
import {
  type Api,
  type Call,
  isList,
  isSameClaim,
  type Operation,
  type Outcome,
  type Page,
} from '../workload/calls.ts';
import { formatMemberships } from '../workload/memberships.ts';
import { type OwnChanges, type Release, SORT_NAMES } from '../workload/own-fields.ts';
import { chooseFilter, type Step } from '../workload/plan.ts';

const FUNCTION_TIMEOUT_MS = 10_000;
const MAX_REPETITIONS = 2;
const MAX_PAGES = 40;
const CHECKS_EVERY_MS = 200;
/** Maximum wait for `on-change`, which may not end a batch while there are faults. */
const WAITS_MS = 60_000;
/** Time until a request without an answer can no longer land. */
const LANDS_WITHIN_MS = 5_000;

export class Clients {
  readonly operations: Operation[] = [];
  readonly violations: string[] = [];
  readonly users: { id: string; version: number | undefined }[] = [];
  /** Set after a restore, which can leave stale claims. One fault then excuses UNKNOWN (503). */
  mayMeetStaleClaims = false;
  readonly #posts: string[] = [];
  readonly #groups: { id: string; version: number }[] = [];
  readonly #world: World;
  readonly #handlers: Handlers;
  #moment = 0;

  constructor(world: World, handlers: Handlers) {
    this.#world = world;
    this.#handlers = handlers;
  }

  async run(steps: Step[]): Promise<void> {
    for (const step of steps) {
      if (this.#world.excluded.has(step.id)) continue;
      await this.#world.clock.sleep(step.pause);
      const call = this.#decide(step);
      if (!call) continue;
      if (isReturn(call)) {
        const end = this.#world.clock.now + WAITS_MS;
        while (this.#isDeletionPending(call.id) && this.#world.clock.now < end)
          await this.#world.clock.sleep(CHECKS_EVERY_MS);
        if (this.#isDeletionPending(call.id)) continue;
      }
      if (call.kind === 'deleteByHand' && !this.#mayDeleteByHand(call.id)) continue;
      let { outcome } = await this.perform(step.id, step.api, call, step.release);
      // Repeats a creation with a key after UNKNOWN, because the key makes a second creation impossible.
      for (let count = 1; step.key && outcome.code === 'UNKNOWN' && count <= MAX_REPETITIONS; count++)
        ({ outcome } = await this.perform(`${step.id}-again${count}`, step.api, call));
    }
  }

  async perform(id: string, api: Api, call: Call, release: Release = 'current'): Promise<Operation> {
    const { clock } = this.#world;
    const sent = { sent: this.#moment++, answered: 0, times: { sent: clock.now, answered: 0 }, skew: 0 };
    const operation: Operation = { id, api, release, call, ...sent, outcome: { code: 'UNKNOWN', why: '' } };
    this.operations.push(operation);
    this.#world.trace(`${id} ${release === 'previous' ? 'previous release, ' : ''}${api} ${JSON.stringify(call)}`);
    operation.outcome = await this.#readToEnd(operation);
    operation.answered = this.#moment++;
    operation.times.answered = clock.now;
    this.#world.trace(`${id} ${JSON.stringify(operation.outcome)}`);
    this.#learn(operation);
    return operation;
  }

  async readAll(texts: string[], pages: number): Promise<void> {
    for (const [at, { id }] of this.users.entries()) {
      await this.perform(`get${at}`, 'bare', { kind: 'get', id });
      if (this.#posts.some((post) => post.startsWith(id)))
        await this.perform(`posts${at}`, 'graphql', { kind: 'listPosts', id, limit: 2 });
    }
    for (const [at, id] of this.#posts.entries())
      await this.perform(`getPost${at}`, 'graphql', { kind: 'getPost', id });
    for (const order of ['asc', 'desc'] as const)
      for (let page = 1; page <= pages; page++)
        await this.perform(`page${page} ${order}`, 'bare', { kind: 'list', page, limit: 3, order });
    await this.perform('walk', 'enveloped', { kind: 'walk', limit: 3, order: 'desc' });
    const { pick: by } = createRandom(`${this.#world.seed} sort`);
    await this.perform('sort', 'enveloped', { kind: 'sort', by: by(SORT_NAMES), limit: 3, order: 'desc' });
    const filter = chooseFilter(createRandom(`${this.#world.seed} filter`));
    await this.perform('filter', 'bare', { kind: 'filter', ...filter, by: undefined, limit: 1, order: 'desc' });
    for (const [at, { id }] of this.#groups.entries()) {
      await this.perform(`lastGroup${at}`, 'graphql', { kind: 'getGroup', id });
      await this.perform(`members${at}`, 'bare', {
        kind: 'members',
        groupId: id,
        role: undefined,
        limit: 1,
        order: 'desc',
      });
    }
    for (const text of texts) await this.perform(`search ${text}`, 'graphql', { kind: 'search', text, limit: 2 });
  }

  async #readToEnd(operation: Operation): Promise<Outcome> {
    const first = await this.#request(operation, operation.id);
    let { next } = first;
    for (let count = 2; next; count++) {
      if (count > MAX_PAGES) {
        this.violations.push(`${operation.id} has more than ${MAX_PAGES} pages`);
        break;
      }
      const page = await this.#request(operation, `${operation.id}-page${count}`, next);
      // A later page may return NOT_FOUND, because the user may have been deleted meanwhile.
      if (page.outcome.code !== 'OK') return operation.call.kind === 'listPosts' ? page.outcome : UNFINISHED;
      append(first.outcome, page.outcome);
      next = page.next;
    }
    const { outcome } = first;
    if (outcome.code === 'OK' && outcome.list && operation.call.kind === 'walk')
      outcome.list.limit = Number.POSITIVE_INFINITY;
    return outcome;
  }

  /** True from a deletion by hand until `on-change` has seen it. Only then does the service know the last version. */
  #isDeletionPending(id: string): boolean {
    const { database, consumed } = this.#world;
    const last = database.store.changes.findLast(({ pk, sk }) => pk === `USER#${id}` && sk === 'USER');
    return last !== undefined && isByHand(last) && !consumed.has(last.position);
  }

  /** False if the item or its user is missing, or while a request may bring the user back. */
  #mayDeleteByHand(id: string): boolean {
    const { store } = this.#world.database;
    const { pk, sk } = toKey(id);
    const isThere = [
      { pk, sk: 'USER' },
      { pk, sk },
    ].every((key) => {
      const stored = store.find(key);
      return stored !== undefined && latest(stored) !== undefined;
    });
    const isReturning = ({ call, answered, outcome, times }: Operation) =>
      isReturn(call) &&
      call.id === id &&
      (answered === 0 || (outcome.code === 'UNKNOWN' && this.#world.clock.now < times.answered + LANDS_WITHIN_MS));
    return isThere && !this.operations.some(isReturning);
  }

  #deleteByHand(operation: string, id: string): Outcome {
    const { database, clock } = this.#world;
    database.replace([{ key: toKey(id), item: undefined }], clock.now, `${operation}/${BY_HAND}`);
    return { code: 'OK' };
  }

  /** Throws if the response violates the contract. */
  async #send({ id, api, call, ...operation }: Operation, next: Page['next']): Promise<Page> {
    if (call.kind === 'deleteByHand') return { outcome: this.#deleteByHand(id, call.id) };
    if (call.kind === 'import') {
      const { id, name, email, own, kept } = call;
      return { outcome: readImported(await this.#handlers.importUser({ name, email, ...own }, { id, ...kept })) };
    }
    // During a deploy, another release may answer the next page.
    const release = next && operation.release === 'reordered' ? 'current' : operation.release;
    const rest = api === 'graphql' ? undefined : toRestEvent(call, api, next);
    if (rest) return readRestResult(call, api, await this.#handlers[release][rest.name](rest.event));
    return readGraphqlResult(call, await this.#handlers.graphql(toGraphqlEvent(call, next)));
  }

  async #request(operation: Operation, id: string, next?: Page['next']): Promise<Page> {
    const { api, call } = operation;
    const { invocation, ending } = await invoke(this.#world, id, FUNCTION_TIMEOUT_MS, () =>
      this.#send(operation, next),
    );
    operation.skew = invocation.skew;
    try {
      if ('died' in ending) {
        if (ending.died === 'timed out' && call.kind !== 'import') throw new Error('the function ran out of time');
        return { outcome: { code: 'UNKNOWN', why: 'the function crashed' } };
      }
      if ('error' in ending) throw ending.error;
      const page = ending.result;
      const { outcome } = page;
      checkPageSize(outcome, call);
      if (outcome.code === 'UNKNOWN' && !this.#isExcused(operation, invocation.faults))
        throw new Error(`${outcome.why}, after ${invocation.faults.join(', ') || 'no fault'}`);
      return page;
    } catch (error) {
      this.violations.push(`${id} ${api} ${JSON.stringify(call)}: ${error instanceof Error ? error.message : error}`);
      return { outcome: { code: 'UNKNOWN', why: 'a fault' } };
    }
  }

  /**
   * One fault excuses UNKNOWN (503) only if another operation writes the same item, or if a late request may still
   * succeed. Before it arrives, a taken value may become free, or a deleted author may return.
   */
  #isExcused({ id, call, sent }: Operation, faults: Fault[]): boolean {
    const isMeanwhile = (other: Operation) => other.id !== id && (other.answered === 0 || other.answered > sent);
    const isUpsert = (each: Call) => each.kind === 'upsert';
    // An upsert may write any user.
    const isSame = (other: Call) =>
      (isUpsert(call) ||
        isUpsert(other) ||
        isMerge(call) ||
        isMerge(other) ||
        ('id' in call && 'id' in other && call.id.startsWith(other.id))) &&
      !/^(get|find)/.test(other.kind) &&
      !isList(other);
    const isDisturbed = this.operations.some((other) => isMeanwhile(other) && isSame(other.call));
    // A value may be taken by a stale claim, which the previous release, restores and deletions by hand leave, or by
    // another call. A restore call omits the restored values.
    const mayBeTaken =
      this.mayMeetStaleClaims ||
      this.operations.some((other) => other.call.kind === 'deleteByHand') ||
      call.kind === 'restore' ||
      isMerge(call) ||
      this.operations.some(
        (other) => other.id !== id && (other.release === 'previous' || isSameClaim(call, other.call)),
      );
    // All deletions of groups write one item, and their job writes users.
    const isWithGroups = this.#groups.length > 0 && !isList(call);
    const mayReturn =
      'authorId' in call &&
      this.operations.some(
        ({ call: other }) =>
          isMerge(other) ||
          (other.kind === 'delete' && (other.id === call.authorId || ('id' in call && call.id.startsWith(other.id)))),
      );
    return (
      faults.filter((fault) => fault !== 'conflict').length >
      (isDisturbed || mayBeTaken || mayReturn || isWithGroups ? 0 : 1)
    );
  }

  #learn({ call, outcome }: Operation): void {
    if (outcome.code !== 'OK') return;
    const { user = call.kind === 'import' ? { id: call.id, version: undefined } : undefined, post, group } = outcome;
    if (post && !this.#posts.includes(post.id)) this.#posts.push(post.id);
    if (group) {
      const found = this.#groups.find(({ id }) => id === group.id);
      if (found) found.version = group.version;
      else this.#groups.push({ id: group.id, version: group.version });
    }
    if (!user) return;
    const known = this.users.find(({ id }) => id === user.id);
    if (known) known.version = user.version ?? known.version;
    else this.users.push({ id: user.id, version: user.version });
  }

  /** Adds neighbouring groups to the values of a creation or an update. */
  #join({ kind, own, joins, groupPick, role }: Step): OwnChanges {
    const from = Math.floor(groupPick * this.#groups.length);
    const chosen = this.#groups.slice(from, from + (joins ?? 0));
    const groups = formatMemberships(chosen.map(({ id }) => ({ id, role })));
    if (groups !== undefined) return { ...own, groups };
    return kind === 'update' && joins === 0 ? { ...own, groups: null } : own;
  }

  /** Chooses the call of a step. Undefined if no user or post fits. */
  #decide(step: Step): Call | undefined {
    const { kind, pick, fields, lookup, isConditional, key, caller, page, limit, order, text, role } = step;
    const own = this.#join(step);
    const { name = '', email = '' } = fields;
    const user = this.users[Math.floor(pick * this.users.length)];
    const post = this.#posts[Math.floor(pick * this.#posts.length)];
    const ifVersion = isConditional ? user?.version : undefined;
    const group = this.#groups[Math.floor(step.groupPick * this.#groups.length)];
    const ifGroupVersion = isConditional ? group?.version : undefined;
    switch (kind) {
      case 'create':
        return { kind, name, email, own, key, caller };
      case 'find':
        return { kind, ...lookup };
      case 'search':
        return { kind, text, limit };
      case 'walk':
        return { kind, limit, order };
      case 'sort':
        return { kind, by: step.sortBy, limit, order };
      case 'filter':
        return {
          kind,
          mottos: step.mottos,
          plan: step.plan,
          by: isConditional ? step.sortBy : undefined,
          limit,
          order,
        };
      case 'list':
        return { kind, page, limit: 3, order };
      case 'get':
        return user && { kind, id: user.id };
      case 'update':
        return user && { kind, id: user.id, ...fields, own, ifVersion, caller };
      case 'replace':
        return user && { kind, id: user.id, name, email, own, ifVersion, caller };
      case 'upsert': {
        const { field, value } = lookup;
        const key = field === 'email' ? { email: String(value), own } : { email, own: { ...own, [field]: value } };
        return { kind, field, name, ...key, caller };
      }
      case 'delete':
        return user && { kind, id: user.id, ifVersion, caller, erase: step.api === 'graphql' && step.erases };
      case 'restore':
        return user && { kind, id: user.id, caller };
      case 'merge': {
        const other = this.users.filter((each) => each !== user)[page - 1] ?? this.users.find((each) => each !== user);
        if (!user || !other) return undefined;
        const ifVersions =
          isConditional && user.version !== undefined && other.version !== undefined
            ? { keep: user.version, remove: other.version }
            : undefined;
        return { kind, id: user.id, other: other.id, ...fields, own, ifVersions, caller };
      }
      case 'undoMerge':
        return user && { kind, id: user.id, caller };
      case 'import': {
        const id = step.newId ?? user?.id;
        return id === undefined ? undefined : { kind, id, name, email, own: withoutNulls(own), kept: step.kept };
      }
      case 'deleteByHand': {
        const id = isConditional ? post : user?.id;
        return id === undefined ? undefined : { kind, id };
      }
      case 'createPost':
        // Take the same author for each call with a key: repeated keys must mostly come with the same input.
        return user && { kind, authorId: (key ? this.users[0] : user)?.id ?? user.id, title: name, key, caller };
      case 'listPosts':
        return user && { kind, id: user.id, limit: isConditional ? undefined : limit };
      case 'updatePost':
        return post
          ? { kind, id: post, title: `${step.id} ${name}`, authorId: isConditional ? user?.id : undefined, caller }
          : undefined;
      case 'publishPost':
        return post ? { kind, id: post, publishedAt: isConditional ? undefined : formatTime(pick), caller } : undefined;
      case 'createGroup':
        return { kind, name, externalId: step.externalId ?? undefined, key, caller };
      case 'updateGroup':
        return (
          group && {
            ...{ kind, id: group.id, name: isConditional ? undefined : name, externalId: step.externalId },
            ...{ ifVersion: ifGroupVersion, caller },
          }
        );
      case 'deleteGroup':
        return group && { kind, id: group.id, removeMembers: step.removesMembers, ifVersion: ifGroupVersion, caller };
      case 'getGroup':
        return group && { kind, id: group.id };
      case 'addMember':
      case 'updateMember':
        return user && group && { kind, id: user.id, groupId: group.id, role, ifVersion, caller };
      case 'removeMember':
        return user && group && { kind, id: user.id, groupId: group.id, ifVersion, caller };
      case 'members':
        return group && { kind, groupId: group.id, role: step.listsRole ? role : undefined, limit, order };
      case 'getPost':
        return post ? { kind, id: post } : undefined;
      case 'deletePost':
        return post ? { kind, id: post, caller } : undefined;
    }
  }
}

/** Merges and undos write two users. The call of an undo has one id. */
const isMerge = ({ kind }: Call) => kind === 'merge' || kind === 'undoMerge';

const isReturn = (call: Call) => call.kind === 'restore' || call.kind === 'import';

function toKey(id: string): Key {
  const [user, post] = id.split('.');
  return { pk: `USER#${user}`, sk: post === undefined ? 'USER' : `POST#${post}` };
}

const formatTime = (pick: number) => `2020-01-01T00:00:00.${String(Math.floor(pick * 1000)).padStart(3, '0')}Z`;

/** Drops null, because an import file cannot clear fields. */
const withoutNulls = (own: OwnChanges): OwnChanges =>
  Object.fromEntries(Object.entries(own).filter(([, value]) => value !== null));

function readImported(result: RowResult['result'] | undefined): Outcome {
  switch (result) {
    case undefined:
      return { code: 'UNKNOWN', why: '503' };
    case 'erased':
      return { code: 'ERASED' };
    case 'invalid':
      return { code: 'CONFLICT' };
    default:
      return { code: 'OK' };
  }
}

const UNFINISHED: Outcome = { code: 'UNKNOWN', why: 'a later page failed' };

function append(first: Outcome, page: Outcome): void {
  if (first.code !== 'OK' || page.code !== 'OK') return;
  first.list?.users.push(...(page.list?.users ?? []));
  first.matches?.push(...(page.matches ?? []));
  first.posts?.push(...(page.posts ?? []));
}

function checkPageSize(outcome: Outcome, call: Call): void {
  if (outcome.code !== 'OK' || !('limit' in call) || call.limit === undefined) return;
  const size = Math.max(outcome.list?.users.length ?? 0, outcome.matches?.length ?? 0, outcome.posts?.length ?? 0);
  // `/api/users` ignores `limit`: its page size here is 3.
  if (size > Math.max(call.limit, 3)) throw new Error(`a page of ${size}`);
}
