import { isDeepStrictEqual } from 'node:util';
import {
  type Call,
  formatClaim,
  type Operation,
  type Outcome,
  readKey,
  type SeenGroup,
  type SeenPost,
  type SeenUser,
} from '../workload/calls.ts';
import {
  formatMemberships,
  listGroupIds,
  MAX_GROUPS,
  type Membership,
  parseMemberships,
} from '../workload/memberships.ts';
import { DECLARATIONS, type OwnChanges, type OwnValues, type Release, showOwnValues } from '../workload/own-fields.ts';
import { type Claims, changeClaims, findOwner, hasValue, listStaleClaims } from './claims.ts';
import { type Gone, NEVER_GONE, type Removal, showsMemberships } from './groups.ts';

type User = {
  name: string;
  email: string;
  fields: OwnValues;
  version: number;
  createdAt: string;
  updatedAt: string;
};
type Post = Omit<SeenPost, 'id'> & { version: number };
type Group = Omit<SeenGroup, 'id'>;
/** The first request with an idempotency key. `sent` in ms. */
type Key = { input: string; id: string; createdAt: string; sent: number };

/** `seenAt`: when `on-change` saw a deletion by hand, in ms. 0 for other deletions. */
type Deleted = {
  user: User;
  posts: Record<string, Post>;
  isErased: boolean;
  seenAt: number;
  merge?: { into: string; before: User; after: User };
};

/** The model's state. In the model, every call happens at a single moment. */
export type State = {
  users: Record<string, User>;
  claims: Claims;
  posts: Record<string, Post>;
  keys: Record<string, Key>;
  /** Last values of deleted users. */
  deleted: Record<string, Deleted>;
  /** Excludes deleted groups. Users may still be their members. */
  groups: Record<string, Group>;
  /** Own parts of posts that have followed a merge, which takes time: checks/merges.ts checks them. */
  following: Record<string, true>;
};

export const EMPTY: State = { users: {}, claims: {}, posts: {}, keys: {}, deleted: {}, groups: {}, following: {} };

/** Values that the service chooses, so the model cannot predict them. */
export type Written = {
  id: string;
  createdAt: string;
  updatedAt: string;
  publishedAt: string | null;
  /** Posts that exist right after the user was created or returned. Empty for all other writes. */
  posts: string[];
  /** `updatedAt` and memberships of all written users, by id. */
  users: Record<string, { updatedAt: string; groups: string }>;
};

/** A read of the whole table, the last operation of a history. */
export type TableRead = { table: State; time: number };

type Seen = { user?: SeenUser; post?: SeenPost; group?: SeenGroup };
type Run = { code: Outcome['code']; next: State; seen: Seen };
type Context = {
  written: Written | undefined;
  sent: number;
  release: Release;
  seenAt: number | undefined;
  outcome: Outcome;
  gone: Gone;
  mayBeErased: boolean;
};

const DAY_MS = 24 * 3_600_000;

/** Returns the state after the operation. Undefined if the outcome is impossible in `state`. */
export function apply(
  state: State,
  operation:
    | (Operation & {
        written?: Written | undefined;
        seenAt?: number | undefined;
        gone?: Gone;
        mayBeErased?: boolean;
      })
    | Removal
    | TableRead,
): State | undefined {
  if ('table' in operation) return describeDifferences(state, operation).length === 0 ? state : undefined;
  if ('removed' in operation) return removeFormerMember(state, operation);
  const { call, outcome, written, times, release, seenAt, gone = NEVER_GONE, mayBeErased = false } = operation;
  const context = { written, sent: times.sent, release, seenAt, outcome, gone, mayBeErased };
  const { code, next, seen } = run(state, call, context);
  // An UNKNOWN call counts as done. If it did not happen, the order may place it last.
  if (outcome.code === 'UNKNOWN') return next;
  if (outcome.code !== code || (outcome.code === 'OK' && !isSame(outcome, seen, { release, gone }))) return undefined;
  return next;
}

export function describeDifferences(
  { users, claims, posts, keys, groups, following }: State,
  { table, time }: TableRead,
): string[] {
  const live = Object.values(keys).filter(({ sent }) => time - sent < DAY_MS);
  const compare = (what: string, expected: Record<string, unknown>, found: Record<string, unknown>) =>
    [...new Set([...Object.keys(expected), ...Object.keys(found)])]
      .filter((id) => !isDeepStrictEqual(expected[id], found[id]))
      .map((id) => `${what} ${id} is ${JSON.stringify(found[id])}, not ${JSON.stringify(expected[id])}`);
  const byId = (list: Key[]) => Object.fromEntries(list.map(({ id, createdAt }) => [id, createdAt]));
  return [
    ...compare('user', users, table.users),
    ...compare('the claim of', claims, { ...listStaleClaims(claims, users), ...table.claims }),
    ...compare('post', posts, omitFollowing(table.posts, following)),
    ...compare('group', groups, table.groups),
    ...compare('the idempotency record of', byId(live), byId(Object.values(table.keys))),
  ];
}

const omitFollowing = (posts: State['posts'], following: State['following']): State['posts'] =>
  Object.fromEntries(Object.entries(posts).filter(([id]) => !following[readOwnPart(id)]));

const readOwnPart = (id: string): string => id.split('.')[1] ?? '';

function run(state: State, call: Call, context: Context): Run {
  switch (call.kind) {
    case 'create':
    case 'createPost':
      return create(state, call, context);
    case 'get':
    case 'find': {
      const id = call.kind === 'get' ? call.id : findUser(state, formatClaim(call.field, call.value), context.outcome);
      const user = id === undefined ? undefined : state.users[id];
      return id !== undefined && user ? succeed(state, { user: { id, ...user } }) : fail('NOT_FOUND', state);
    }
    case 'restore':
    case 'import':
      return comeBack(state, call, context);
    case 'merge':
      return merge(state, call, context);
    case 'undoMerge':
      return undoMerge(state, call, context);
    case 'upsert': {
      const { kind: _, field, ...input } = call;
      const id = findUser(state, formatClaim(field, readKey(call)), context.outcome);
      return id === undefined
        ? create(state, { kind: 'create', ...input }, context)
        : change(state, { kind: 'replace', id, ...input }, context);
    }
    case 'update':
    case 'replace':
    case 'delete':
      return change(state, call, context);
    case 'deleteByHand':
      return deleteByHand(state, call, context);
    case 'addMember':
    case 'updateMember':
    case 'removeMember':
      return changeMember(state, call, context);
    case 'createGroup':
      return createGroup(state, call, context);
    case 'getGroup':
    case 'updateGroup':
    case 'deleteGroup':
      return changeGroup(state, call, context);
    case 'getPost':
    case 'updatePost':
    case 'publishPost':
    case 'deletePost':
      return changePost(state, call, context);
    default:
      // Accepts any answer of a list: checkList and others check them.
      return succeed(state);
  }
}

/**
 * During a deploy, a user may get a value back without its claim. A request that has read the former claim finds this
 * user.
 */
function findUser({ claims, users }: State, claim: string, outcome: Outcome): string | undefined {
  const found = outcome.code === 'OK' ? outcome.user?.id : undefined;
  const user = found === undefined ? undefined : users[found];
  if (user && claims[claim] === undefined && hasValue(user, claim)) return found;
  return findOwner(claims, users, claim);
}

type CreateUser = Extract<Call, { kind: 'create' }>;
type Create = Extract<Call, { kind: 'create' | 'createPost' }>;

function create(state: State, call: Create, { written, sent, release, outcome, gone }: Context): Run {
  const { key, caller, ...input } = call;
  const slot = key === undefined ? undefined : `${call.kind} ${caller} ${key}`;
  const first = slot === undefined ? undefined : state.keys[slot];
  if (first && sent - first.sent < DAY_MS) {
    if (first.input !== JSON.stringify(input)) return fail('IDEMPOTENCY_KEY_REUSED', state);
    return succeed(state, describeCreated(call, first));
  }
  if (call.kind === 'create' && missesGroup(undefined, call.own, { outcome, gone })) return fail('INVALID', state);
  const user = call.kind === 'create' ? createUser(call, written?.createdAt) : undefined;
  const claims = user ? changeClaims(state, written?.id ?? 'never written', user, release) : state.claims;
  if (!claims) return fail('CONFLICT', state);
  if (call.kind === 'createPost' && !state.users[call.authorId]) return fail('NOT_FOUND', state);
  // The service wrote nothing if `written` is missing.
  if (!written) return fail('UNKNOWN', state);
  const { id, createdAt } = written;
  const keys = slot ? { ...state.keys, [slot]: { input: JSON.stringify(input), id, createdAt, sent } } : state.keys;
  const seen = describeCreated(call, written);
  const posts = seen.post ? { ...state.posts, [id]: { ...withoutId(seen.post), version: 1 } } : state.posts;
  return succeed({ ...state, keys, claims, posts, users: user ? { ...state.users, [id]: user } : state.users }, seen);
}

const withoutId = ({ id: _, ...post }: SeenPost): Omit<SeenPost, 'id'> => post;

const createUser = (
  { name, email, own }: Pick<CreateUser, 'name' | 'email' | 'own'>,
  createdAt = 'never written',
): User => ({
  name,
  email,
  fields: changeFields({}, own),
  createdAt,
  updatedAt: createdAt,
  version: 1,
});

const describeCreated = (call: Create, { id, createdAt }: Pick<Written, 'id' | 'createdAt'>): Seen =>
  call.kind === 'create'
    ? { user: { id, ...createUser(call, createdAt) } }
    : { post: { id, authorId: call.authorId, title: call.title, publishedAt: null } };

function comeBack(
  state: State,
  call: Extract<Call, { kind: 'restore' | 'import' }>,
  { written, release, outcome, gone, mayBeErased }: Context,
): Run {
  const { id } = call;
  const last = state.deleted[id];
  // An erasure requests the erasures of merged users first.
  if (mayBeErased && last?.merge && !state.users[id] && /NOT_FOUND|ERASED/.test(outcome.code))
    return fail(outcome.code, state);
  if (call.kind === 'restore') {
    if (state.users[id]) return fail('CONFLICT', state);
    if (!last || last.isErased) return fail('NOT_FOUND', state);
  }
  if (last?.isErased && !state.users[id]) return fail('ERASED', state);
  const kept = call.kind === 'import' ? call.kept : {};
  const imported =
    call.kind === 'import' ? createUser(call, kept.createdAt ?? written?.createdAt ?? 'never written') : undefined;
  const deletedVersion = last ? last.user.version + 1 : 0;
  const isKept = imported !== undefined && (kept.version ?? 1) > deletedVersion;
  // The casts are safe, because a restore without `last` has returned above.
  const former = imported ?? (last as Deleted).user;
  const fields = imported ? former.fields : dropGroups(id, former.fields, { written, gone });
  if (!fields) return fail('UNKNOWN', state);
  const user = {
    ...{ ...former, fields },
    version: isKept ? (kept.version ?? 1) : deletedVersion + 1,
    updatedAt: (isKept ? (kept.updatedAt ?? kept.createdAt) : undefined) ?? written?.updatedAt ?? 'never written',
  };
  const claims = changeClaims(state, id, user, release);
  // If both the id and the address exist, an import may get either result.
  if (state.users[id] && outcome.code === 'OK') return succeed(state);
  if (!claims) return fail('CONFLICT', state);
  if (!written) return fail('UNKNOWN', state);
  const isLeft = ([post]: [string, Post]) => written.posts.includes(post);
  const posts = { ...state.posts, ...Object.fromEntries(Object.entries(last?.posts ?? {}).filter(isLeft)) };
  const { [id]: _, ...deleted } = state.deleted;
  const next = { ...state, claims, posts, deleted, users: { ...state.users, [id]: user } };
  return succeed(next, call.kind === 'restore' ? { user: { id, ...user } } : {});
}

function merge(state: State, call: Extract<Call, { kind: 'merge' }>, context: Context): Run {
  const { id, other, ifVersions, own } = call;
  const { written, release, outcome, mayBeErased } = context;
  const { [other]: removed, ...users } = state.users;
  const kept = users[id];
  if (!kept) return fail('NOT_FOUND', state);
  if (!removed) {
    const isRepetition = state.deleted[other]?.merge?.into === id && !state.deleted[other]?.isErased;
    if (isRepetition && mayBeErased && outcome.code === 'NOT_FOUND') return fail('NOT_FOUND', state);
    return isRepetition ? succeed(state, { user: { id, ...kept } }) : fail('NOT_FOUND', state);
  }
  if (ifVersions && (ifVersions.keep !== kept.version || ifVersions.remove !== removed.version))
    return fail('PRECONDITION_FAILED', state);
  if (missesGroup(kept.fields.groups, own, context)) return fail('INVALID', state);
  const joins = own.groups === undefined && removed.fields.groups !== undefined;
  const joined = joins ? joinGroups(kept.fields, removed.fields, context) : kept.fields.groups;
  if (joined === 'TOO_MANY_GROUPS') return fail('CONFLICT', state);
  const { name = kept.name, email = kept.email } = call;
  const updatedAt = written?.users[id]?.updatedAt ?? 'never written';
  const changes = changeFields(withGroups(kept.fields, joined), own);
  const fields = joins ? dropGroups(id, changes, context) : changes;
  if (!fields) return fail('UNKNOWN', state);
  const changed = { ...kept, name, email, fields, updatedAt, version: kept.version + 1 };
  const released = changeClaims(state, other, undefined, release) ?? state.claims;
  const claims = changeClaims({ claims: released, users }, id, changed, release);
  if (!claims) return fail('CONFLICT', state);
  const [moving, posts] = splitPosts(state.posts, other);
  const following = Object.fromEntries(Object.keys(moving).map((post) => [readOwnPart(post), true as const]));
  const mergeInto = { into: id, before: kept, after: changed };
  const deleted = { user: removed, posts: {}, isErased: false, seenAt: 0, merge: mergeInto };
  const next = {
    ...{ ...state, claims, posts, following: { ...state.following, ...following } },
    users: { ...users, [id]: changed },
    deleted: { ...state.deleted, [other]: deleted },
  };
  return succeed(next, { user: { id, ...changed } });
}

/** In a group of both, the role of the kept user stays. */
function joinGroups(
  kept: OwnValues,
  removed: OwnValues,
  { outcome, gone }: Context,
): string | undefined | 'TOO_MANY_GROUPS' {
  const [own, others] = [parseMemberships(kept.groups), parseMemberships(removed.groups)];
  const joined = [...own, ...others.filter(({ id }) => !own.some((each) => each.id === id))];
  const isFull = (isGone: Gone['was']) => joined.filter(({ id }) => !isGone(id)).length > MAX_GROUPS;
  if (isFull(gone.mayBe) || (outcome.code === 'CONFLICT' && isFull(gone.was))) return 'TOO_MANY_GROUPS';
  return formatMemberships(joined);
}

/** Leaves out memberships of deleted groups, as the write has. Undefined if it has left out others. */
function dropGroups(
  id: string,
  fields: OwnValues,
  { written, gone }: Pick<Context, 'written' | 'gone'>,
): OwnValues | undefined {
  const user = written?.users[id];
  if (!user) return fields;
  return showsMemberships(user.groups, fields.groups, gone) ? withGroups(fields, user.groups || undefined) : undefined;
}

function undoMerge(state: State, { id }: Extract<Call, { kind: 'undoMerge' }>, context: Context): Run {
  const { written, release, outcome, mayBeErased } = context;
  const { [id]: last, ...deleted } = state.deleted;
  if (state.users[id]) return fail('CONFLICT', state);
  const kept = last?.merge && state.users[last.merge.into];
  const isHidden = mayBeErased && outcome.code === 'NOT_FOUND';
  if (!last?.merge || !kept || last.isErased || isHidden) return fail('NOT_FOUND', state);
  const { into, before, after } = last.merge;
  const version = last.user.version + 2;
  const fields = {
    restored: dropGroups(id, last.user.fields, context),
    kept: dropGroups(into, findFormerFields(kept.fields, before.fields, after.fields), context),
  };
  if (!fields.restored || !fields.kept) return fail('UNKNOWN', state);
  const updatedAt = written?.users[id]?.updatedAt ?? 'never written';
  const restored = { ...last.user, fields: fields.restored, version, updatedAt };
  const changed = {
    ...kept,
    name: kept.name === after.name ? before.name : kept.name,
    email: kept.email === after.email ? before.email : kept.email,
    fields: fields.kept,
    version: kept.version + 1,
    updatedAt: written?.users[into]?.updatedAt ?? 'never written',
  };
  const users = { ...state.users, [into]: changed };
  const released = changeClaims(state, into, changed, release);
  const claims = released && changeClaims({ claims: released, users }, id, restored, release);
  if (!claims) return fail('CONFLICT', state);
  const next = { ...state, claims, deleted, users: { ...users, [id]: restored } };
  return succeed(next, { user: { id, ...restored } });
}

/** Fields that still have the value of the merge get their former value. */
function findFormerFields(current: OwnValues, before: OwnValues, after: OwnValues): OwnValues {
  const read = (values: OwnValues, name: string) => new Map<string, unknown>(Object.entries(values)).get(name) ?? null;
  const names = Object.keys({ ...current, ...before });
  const values = names.map((name): [string, unknown] => {
    if (name === 'groups') return [name, findFormerGroups(current, before, after) ?? null];
    return [name, read(current, name) === read(after, name) ? read(before, name) : read(current, name)];
  });
  return Object.fromEntries(values.filter(([, value]) => value !== null));
}

type Roles = Map<string, Membership['role']>;

/** Memberships that still have the role of the merge get their former role. */
function findFormerGroups(current: OwnValues, before: OwnValues, after: OwnValues): string | undefined {
  const [former, merged, roles] = [before, after, current].map(
    ({ groups }) => new Map(parseMemberships(groups).map(({ id, role }) => [id, role])),
  ) as [Roles, Roles, Roles];
  for (const id of new Set([...former.keys(), ...merged.keys()])) {
    if (former.get(id) === merged.get(id) || roles.get(id) !== merged.get(id)) continue;
    const role = former.get(id);
    if (role === undefined) roles.delete(id);
    else roles.set(id, role);
  }
  return formatMemberships([...roles].map(([id, role]) => ({ id, role })));
}

/** The erasure of a user includes all users who were merged into it. */
function eraseMerged(deleted: State['deleted'], id: string): State['deleted'] {
  let erased = deleted;
  for (const [other, last] of Object.entries(deleted))
    if (last.merge?.into === id && !last.isErased)
      erased = eraseMerged({ ...erased, [other]: { ...last, isErased: true } }, other);
  return erased;
}

/** Keeps the claims, which are stale until `on-change` deletes them. */
function deleteByHand(state: State, { id }: Extract<Call, { kind: 'deleteByHand' }>, { seenAt = 0 }: Context): Run {
  const { [id]: user, ...users } = state.users;
  const { [id]: post, ...posts } = state.posts;
  if (post) return succeed({ ...state, posts });
  if (!user) return fail('NOT_FOUND', state);
  const [own, others] = splitPosts(state.posts, id);
  const deleted = { ...state.deleted, [id]: { user, posts: own, isErased: false, seenAt } };
  return succeed({ ...state, users, posts: others, deleted });
}

function splitPosts(
  posts: Record<string, Post>,
  id: string,
): [own: Record<string, Post>, others: Record<string, Post>] {
  const isOwn = ([, { authorId }]: [string, Post]) => authorId === id;
  const entries = Object.entries(posts);
  return [Object.fromEntries(entries.filter(isOwn)), Object.fromEntries(entries.filter((post) => !isOwn(post)))];
}

type ChangeUser = Extract<Call, { kind: 'update' | 'replace' | 'delete' }>;

function change(state: State, call: ChangeUser, { written, release, sent, outcome, gone }: Context): Run {
  const { id, ifVersion } = call;
  const user = state.users[id];
  const last = state.deleted[id];
  // Before `on-change` has seen a deletion by hand, nothing may name the user.
  const isUnknown = outcome.code === 'NOT_FOUND' && last !== undefined && sent < last.seenAt;
  if (!user && call.kind === 'delete' && call.erase && last && !isUnknown)
    return succeed({ ...state, deleted: eraseMerged({ ...state.deleted, [id]: { ...last, isErased: true } }, id) });
  if (!user) return fail('NOT_FOUND', state);
  if (ifVersion !== undefined && ifVersion !== user.version) return fail('PRECONDITION_FAILED', state);
  if (call.kind === 'delete') {
    const { [id]: _, ...users } = state.users;
    const [own, others] = splitPosts(state.posts, id);
    const claims = changeClaims(state, id, undefined, release) ?? state.claims;
    const deleted = { user, posts: own, isErased: call.erase === true, seenAt: 0 };
    const all = { ...state.deleted, [id]: deleted };
    return succeed({
      ...state,
      ...{ users, claims, posts: others },
      deleted: call.erase ? eraseMerged(all, id) : all,
    });
  }
  if (missesGroup(user.fields.groups, call.own, { outcome, gone })) return fail('INVALID', state);
  const { kind, name = user.name, email = user.email, own } = call;
  const fields = changeFields(user.fields, kind === 'replace' ? { ...clearAll(release), ...own } : own);
  const show = (values: OwnValues) => showOwnValues(values, release);
  const isEqual = name === user.name && email === user.email && isDeepStrictEqual(show(fields), show(user.fields));
  if (isEqual) return succeed(state, { user: { id, ...user } });
  const updatedAt = written?.updatedAt ?? 'never written';
  const changed = { ...user, name, email, fields, updatedAt, version: user.version + 1 };
  const claims = changeClaims(state, id, changed, release);
  if (!claims) return fail('CONFLICT', state);
  return succeed({ ...state, claims, users: { ...state.users, [id]: changed } }, { user: { id, ...changed } });
}

/** Clears all fields of the release, as a replacement (PUT) does first. */
const clearAll = (release: Release): OwnChanges =>
  Object.fromEntries(Object.keys(DECLARATIONS[release]).map((name) => [name, null]));

/** Null clears a field. */
const changeFields = (fields: OwnValues, changes: OwnChanges): OwnValues =>
  Object.fromEntries(Object.entries({ ...fields, ...changes }).filter(([, value]) => value !== null));

/** True if a call fails because it adds a deleted group. A group that was deleted meanwhile may be added. */
function missesGroup(
  before: string | undefined,
  { groups }: OwnChanges,
  { outcome, gone }: Pick<Context, 'outcome' | 'gone'>,
): boolean {
  const added = listGroupIds(groups).filter((id) => !listGroupIds(before).includes(id));
  return added.some(outcome.code === 'INVALID' ? gone.mayBe : gone.was);
}

function withGroups({ groups: _, ...fields }: OwnValues, groups: string | undefined): OwnValues {
  return groups === undefined ? fields : { ...fields, groups };
}

type ChangeMember = Extract<Call, { kind: 'addMember' | 'updateMember' | 'removeMember' }>;

function changeMember(state: State, call: ChangeMember, { written, outcome, gone }: Context): Run {
  const { id, groupId, ifVersion } = call;
  const user = state.users[id];
  if (!user) return fail('NOT_FOUND', state);
  if (ifVersion !== undefined && ifVersion !== user.version) return fail('PRECONDITION_FAILED', state);
  const memberships = parseMemberships(user.fields.groups);
  const current = memberships.find((each) => each.id === groupId);
  const others = memberships.filter((each) => each.id !== groupId);
  const write = (next: Membership[]): Run => {
    const groups = formatMemberships(next);
    if (groups === user.fields.groups) return succeed(state, { user: { id, ...user } });
    const updatedAt = written?.updatedAt ?? 'never written';
    const changed = { ...user, fields: withGroups(user.fields, groups), updatedAt, version: user.version + 1 };
    return succeed({ ...state, users: { ...state.users, [id]: changed } }, { user: { id, ...changed } });
  };
  if (call.kind === 'removeMember') return write(others);
  if (outcome.code === 'NOT_FOUND' && gone.mayBe(groupId)) return fail('NOT_FOUND', state);
  const { role } = call;
  if (call.kind === 'updateMember') {
    if (gone.was(groupId) || !current) return fail('NOT_FOUND', state);
    return write(memberships.map((each) => (each === current ? { id: groupId, role } : each)));
  }
  const next = current ? memberships : [...memberships, { id: groupId, role }];
  const isFull = (isGone: Gone['was']) => next.filter((each) => !isGone(each.id)).length > MAX_GROUPS;
  if (isFull(gone.mayBe) || (outcome.code === 'INVALID' && isFull(gone.was))) return fail('INVALID', state);
  if (gone.was(groupId)) return fail('NOT_FOUND', state);
  if (current && current.role !== role) return fail('CONFLICT', state);
  if (next.length <= MAX_GROUPS || !written) return write(next);
  // Leaves out deleted groups, because the user has too many.
  const { groups = '' } = written.users[id] ?? {};
  const isPossible = showsMemberships(groups, formatMemberships(next), gone) && listGroupIds(groups).includes(groupId);
  return isPossible ? write(parseMemberships(groups)) : fail('UNKNOWN', state);
}

/** Undefined if the group is not deleted, or the user is not a member. */
function removeFormerMember(state: State, { removed: { id, groupIds, updatedAt } }: Removal): State | undefined {
  const user = state.users[id];
  const memberships = parseMemberships(user?.fields.groups);
  const isRight = groupIds.every((group) => !state.groups[group] && memberships.some((each) => each.id === group));
  if (!user || !isRight) return undefined;
  const groups = formatMemberships(memberships.filter((each) => !groupIds.includes(each.id)));
  const changed = { ...user, fields: withGroups(user.fields, groups), updatedAt, version: user.version + 1 };
  return { ...state, users: { ...state.users, [id]: changed } };
}

function createGroup(state: State, call: Extract<Call, { kind: 'createGroup' }>, { written, sent }: Context): Run {
  const { key, caller, ...input } = call;
  const describe = ({ id, createdAt }: Pick<Written, 'id' | 'createdAt'>): SeenGroup => ({
    ...{ id, name: call.name, externalId: call.externalId ?? null },
    ...{ version: 1, createdAt, updatedAt: createdAt },
  });
  const slot = key === undefined ? undefined : `createGroup ${caller} ${key}`;
  const first = slot === undefined ? undefined : state.keys[slot];
  if (first && sent - first.sent < DAY_MS)
    return first.input === JSON.stringify(input)
      ? succeed(state, { group: describe(first) })
      : fail('IDEMPOTENCY_KEY_REUSED', state);
  if (isExternalIdTaken(state, call.externalId)) return fail('CONFLICT', state);
  if (!written) return fail('UNKNOWN', state);
  const { id, ...group } = describe(written);
  const { createdAt } = group;
  const keys = slot ? { ...state.keys, [slot]: { input: JSON.stringify(input), id, createdAt, sent } } : state.keys;
  return succeed({ ...state, keys, groups: { ...state.groups, [id]: group } }, { group: { id, ...group } });
}

const isExternalIdTaken = ({ groups }: State, externalId: string | null | undefined, except?: string): boolean =>
  externalId != null && Object.entries(groups).some(([id, group]) => id !== except && group.externalId === externalId);

function changeGroup(
  state: State,
  call: Extract<Call, { kind: 'getGroup' | 'updateGroup' | 'deleteGroup' }>,
  { written, outcome }: Context,
): Run {
  const { id } = call;
  const group = state.groups[id];
  if (!group) return fail('NOT_FOUND', state);
  if (call.kind === 'getGroup') return succeed(state, { group: { id, ...group } });
  if (call.ifVersion !== undefined && call.ifVersion !== group.version) return fail('PRECONDITION_FAILED', state);
  if (call.kind === 'deleteGroup') {
    // `checkGroupDeletions` checks the members.
    if (outcome.code === 'CONFLICT') return fail('CONFLICT', state);
    const { [id]: _, ...groups } = state.groups;
    return succeed({ ...state, groups });
  }
  const { name = group.name, externalId = group.externalId } = call;
  if (name === group.name && externalId === group.externalId) return succeed(state, { group: { id, ...group } });
  if (isExternalIdTaken(state, externalId, id)) return fail('CONFLICT', state);
  const updatedAt = written?.updatedAt ?? 'never written';
  const changed = { ...group, name, externalId, updatedAt, version: group.version + 1 };
  return succeed({ ...state, groups: { ...state.groups, [id]: changed } }, { group: { id, ...changed } });
}

function changePost(
  state: State,
  call: Extract<Call, { kind: 'getPost' | 'updatePost' | 'publishPost' | 'deletePost' }>,
  { written, outcome }: Context,
): Run {
  if (state.following[readOwnPart(call.id)])
    return { code: outcome.code, next: state, seen: outcome.code === 'OK' ? outcome : {} };
  if (call.kind === 'updatePost' && call.authorId && !call.id.startsWith(call.authorId))
    return movePost(state, { ...call, authorId: call.authorId });
  const { id } = call;
  const post = state.posts[id];
  if (!post) return fail('NOT_FOUND', state);
  if (call.kind === 'deletePost') {
    const { [id]: _, ...posts } = state.posts;
    return succeed({ ...state, posts });
  }
  const changes =
    call.kind === 'updatePost'
      ? { title: call.title }
      : call.kind === 'publishPost' && post.publishedAt === null
        ? { publishedAt: call.publishedAt ?? written?.publishedAt ?? 'never written' }
        : undefined;
  const isEqual = isDeepStrictEqual({ ...post, ...changes }, post);
  const changed = isEqual ? post : { ...post, ...changes, version: post.version + 1 };
  const { version, ...shown } = changed;
  return succeed({ ...state, posts: { ...state.posts, [id]: changed } }, { post: { id, ...shown } });
}

/** Moves a post. If only the new id exists, the post was moved before. */
function movePost(state: State, { id, title, authorId }: { id: string; title: string; authorId: string }): Run {
  const movedId = `${authorId}.${id.split('.')[1]}`;
  const { [id]: former, [movedId]: found, ...posts } = state.posts;
  const post = former ?? found;
  if (!post || !state.users[authorId]) return fail('NOT_FOUND', state);
  const isMoved = former === undefined && post.title === title;
  const moved = isMoved ? post : { ...post, authorId, title, version: post.version + 1 };
  const { version, ...shown } = moved;
  return succeed({ ...state, posts: { ...posts, [movedId]: moved } }, { post: { id: movedId, ...shown } });
}

const succeed = (next: State, seen: Seen = {}): Run => ({ code: 'OK', next, seen });
const fail = (code: Outcome['code'], state: State): Run => ({ code, next: state, seen: {} });

/** Compares only members that the answer shows. */
function isSame(
  { user, post, group }: Seen,
  { user: expected, post: expectedPost, group: expectedGroup }: Seen,
  { release, gone }: Pick<Context, 'release' | 'gone'>,
): boolean {
  const isShown = (shown: object | undefined, other: object | undefined) =>
    !shown === !other && isDeepStrictEqual(shown, other && pick(other, Object.keys(shown ?? {})));
  const visible = expected && { ...expected, fields: showOwnValues(expected.fields, release) };
  const isGroupsShown = showsMemberships(user?.fields.groups, expected?.fields.groups, gone);
  const withoutGroups = <Some extends { fields: object }>(shown: Some | undefined) =>
    shown && { ...shown, fields: withGroups(shown.fields, undefined) };
  return (
    isShown(withoutGroups(user), withoutGroups(visible)) &&
    isGroupsShown &&
    isShown(post, expectedPost) &&
    isShown(group, expectedGroup)
  );
}

const pick = (object: object, names: string[]) =>
  Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)));
