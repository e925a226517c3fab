import { type Client, isChanged, isNotFound } from '../../../../../lib/client/client.ts';
import { isStored } from '../../../../../lib/client/lost-answer.ts';
import { isTemporary } from '../../../../../lib/client/transport.ts';
import type { OwnField } from '../../../../../lib/users/fields/declaration.ts';
import { connect } from '../../api/client.ts';
import type { Failure } from '../../api/selected-users.ts';
import type { User } from '../../api/users.ts';
import { formatCount } from '../../format.ts';
import { notify } from '../../notices.tsx';
import { isSameValue, labelMember, type Membership, type Value } from '../../own-fields.ts';
import { refresh } from '../../query-client.ts';
import { runBulkJob } from './bulk-job.ts';
import { reportFailures } from './failure-report.ts';

export type Action = 'set' | 'clear' | 'add' | 'remove';
export type Edit = { field: OwnField; action: Action; value: Value };

/**
 * None for the subject, which is set once per person, and for memberships, which have their own dialog. Users cannot
 * share unique values.
 */
export const listActions = ({ type, subject, unique, required, list }: OwnField): Action[] => {
  if (subject || type === 'membership') return [];
  const actions: Action[] = [];
  if (!unique) actions.push('set');
  if (list) actions.push('add', 'remove');
  if (!required) actions.push('clear');
  return actions;
};

export function editValue({ field, action, value }: Edit, before: Value): Value {
  const items = Array.isArray(before) ? before : [];
  const chosen = Array.isArray(value) ? value : [];
  // A member keeps the role. Cast: a membership field has no other items.
  const identify = (item: Value) => (field.type === 'membership' ? (item as Membership).id : item);
  const hasItem = (added: Value) => items.some((item) => identify(item) === identify(added));
  switch (action) {
    case 'set':
      return value;
    case 'clear':
      return null;
    case 'add':
      return [...items, ...chosen.filter((item) => !hasItem(item))];
    case 'remove': {
      const left = items.filter((item) => !chosen.includes(item));
      return left.length > 0 || field.required ? left : null;
    }
  }
}

const isResult = (value: Value, edit: Edit, before: Value): boolean =>
  isStored(value, editValue(edit, before) ?? edit.field.default ?? null);

/** Attempts per user if other clients change the same user. */
const MAX_ATTEMPTS = 3;

type Values = Map<string, Value>;

type OnChanged = (users: ReadonlyMap<string, User>) => void;

export async function editUsers(users: readonly User[], edit: Edit, onChanged: OnChanged): Promise<void> {
  const label = labelMember(edit.field.name);
  const before: Values = new Map();
  const after = new Map<string, User>();
  const versions: Versions = new Map();
  const { failures, unknown } = await changeField(`Changing ${label}`, users, edit.field, (user, value) => {
    const onChanged = (changed: User) => after.set(user.id, changed);
    const former = before.get(user.id);
    // An earlier attempt has changed the user, but its answer was lost.
    if (former !== undefined && !isSameValue(value, former) && isResult(value, edit, former)) onChanged(user);
    else {
      before.set(user.id, value);
      versions.set(user.id, user.version);
    }
    return { value: editValue(edit, value), onChanged };
  });
  onChanged(after);
  const changed = users.filter(({ id }) => after.has(id));
  reportFailures(`Of ${formatCount(users.length, 'user')}, some were not changed`, failures);
  const undoable = [...changed, ...unknown];
  const unchanged = users.length - changed.length - failures.length;
  notify({
    message: `Changed ${label} of ${formatCount(changed.length, 'user')}${unchanged > 0 ? `; ${unchanged} stay as they were` : ''}`,
    tone: 'done',
    ...(undoable.length > 0 ? { undo: () => undoEdit(undoable, edit, { before, versions, after }, onChanged) } : {}),
  });
}

type Versions = Map<string, number>;

/** `versions`: versions that the edit has read. `after` lacks users with a lost answer. */
type Done = { before: Values; versions: Versions; after: ReadonlyMap<string, User> };

/** Keeps values that another client has changed since. */
async function undoEdit(
  users: readonly User[],
  edit: Edit,
  { before, versions, after }: Done,
  onChanged: OnChanged,
): Promise<void> {
  const { field } = edit;
  const label = labelMember(field.name);
  const restored = new Map<string, User>();
  const { failures, isCancelled } = await changeField(`Restoring ${label}`, users, field, (user, value) => {
    const former = before.get(user.id) ?? null;
    const sent = after.get(user.id);
    const isSent = sent
      ? isSameValue(value, sent[field.name])
      : user.version === (versions.get(user.id) ?? 0) + 1 && isResult(value, edit, former);
    const isOurs = isSent || isSameValue(value, former);
    if (!isOurs) return { reason: `${label} was changed elsewhere since` };
    // An earlier attempt may have restored the user, with a lost answer.
    if (isSameValue(value, former)) restored.set(user.id, user);
    return { value: former, onChanged: (changed) => restored.set(user.id, changed) };
  });
  onChanged(restored);
  reportFailures(`Of ${formatCount(users.length, 'user')}, some were not restored`, failures);
  if (isCancelled) throw new Error('it was cancelled');
}

/** `onChanged` receives the stored user after an update. The service may have trimmed the value. */
type Decision = { value: Value; onChanged?: (changed: User) => void } | { reason: string };
type Decide = (user: User, value: Value) => Decision;

async function changeField(label: string, users: readonly User[], field: OwnField, decide: Decide) {
  const client = connect();
  const failures: Failure[] = [];
  let unanswered: readonly User[] = [];
  const change = (part: readonly User[]) =>
    changePart(client, part, field, decide, (sent) => {
      unanswered = sent;
    });
  const isDone = await runBulkJob({
    label,
    items: users,
    change: async (part) => {
      failures.push(...(await change(part)));
    },
  });
  const unknown = await checkUnanswered(client, unanswered, field, decide);
  failures.push(...unknown);
  await refresh(['users'], ['user'], ['count']);
  return { failures, unknown: unknown.map(({ user }) => user), isCancelled: !isDone };
}

/** Checks whether unanswered updates changed their users, after a cancel during an outage. */
async function checkUnanswered(
  client: Client,
  users: readonly User[],
  field: OwnField,
  decide: Decide,
): Promise<Failure[]> {
  try {
    const found: (User | undefined)[] = await client.users.getMany(users.map(({ id }) => id));
    for (const user of found) if (user) decide(user, user[field.name] ?? null);
    return [];
  } catch {
    return users.map((user) => ({ user, reason: 'The service did not answer, and may have changed the user' }));
  }
}

/** Throws after an outage. `onUnanswered` then receives the users with a lost answer. */
async function changePart(
  client: Client,
  part: readonly User[],
  field: OwnField,
  decide: Decide,
  onUnanswered: (users: readonly User[]) => void,
): Promise<Failure[]> {
  const failures: Failure[] = [];
  let left = part;
  for (let attempt = 1; left.length > 0; attempt += 1) {
    const found = await client.users.getMany(left.map(({ id }) => id));
    onUnanswered([]);
    const changes = left.flatMap((listed, at) => {
      const user: User | undefined = found[at];
      if (!user) return fail(listed, 'The user does not exist any more');
      const value = user[field.name] ?? null;
      const decision = decide(user, value);
      if ('reason' in decision) return fail(listed, decision.reason);
      return isSameValue(decision.value, value) ? [] : [{ listed, user, ...decision }];
    });
    const results = await client.users.updateMany(
      changes.map(({ user, value }) => ({ user, changes: { [field.name]: value } })),
    );
    const again: User[] = [];
    const unanswered: User[] = [];
    let outage: Error | undefined;
    for (const [at, { listed, onChanged }] of changes.entries()) {
      const { user, error } = results[at] ?? {};
      if (user) onChanged?.(user);
      else if (error && isTemporary(error)) {
        outage = error;
        unanswered.push(listed);
      } else if (isChanged(error) && attempt < MAX_ATTEMPTS) again.push(listed);
      else fail(listed, describeError(error));
    }
    // Pauses the job. Resuming skips the users who have their new value.
    if (outage) {
      onUnanswered(unanswered);
      throw outage;
    }
    left = again;
  }
  return failures;

  function fail(user: User, reason: string): [] {
    failures.push({ user, reason });
    return [];
  }
}

const describeError = (error: Error | undefined): string => {
  if (isNotFound(error)) return 'The user does not exist any more';
  return isChanged(error)
    ? 'Others change the user at the same time'
    : (error?.message ?? 'The service gave no result');
};
