import { ClientError, toClientError } from './errors.ts';
import { isWritten } from './lost-answer.ts';
import { backOff, isTemporary, pause, prepare, type Signal, type Transport, type TypedDocument } from './transport.ts';
import {
  type OwnFields,
  removeNulls,
  selectUser,
  toInput,
  type User,
  type UserChanges,
  type UserInput,
  type UserReference,
  type Users,
} from './users.ts';

/** Pass a user that you have read to fail if it has changed since, or an id to update any version. */
export type UserUpdate<Fields extends OwnFields = object> = {
  user: UserReference;
  changes: UserChanges<Fields>;
};

/** `error` is the error that `update` would throw. */
export type UpdateResult<Fields extends OwnFields = object> =
  | { user: User<Fields>; error?: undefined }
  | { user?: undefined; error: ClientError };

/** `error` is the error that `upsert` would throw. */
export type UpsertResult<Fields extends OwnFields = object> =
  | { user: User<Fields>; outcome: 'CREATED' | 'UPDATED' | 'UNCHANGED'; error?: undefined }
  | { user?: undefined; outcome?: undefined; error: ClientError };

/** `keepOmitted`: keeps the own fields that a user omits. Default: clears them. */
export type UpsertManyOptions = Signal & { keepOmitted?: boolean | undefined };

export type Many<Fields extends OwnFields = object> = {
  /** Returns users in the order of `ids`, undefined for unknown ids. 100 users per request. */
  getMany(ids: readonly string[], options?: Signal): Promise<(User<Fields> | undefined)[]>;

  /**
   * Returns results in order. A failed update or request does not stop the others. Retries busy users. At most 50 users
   * per request, fewer if the changes are long.
   */
  updateMany(updates: readonly UserUpdate<Fields>[], options?: Signal): Promise<UpdateResult<Fields>[]>;

  /**
   * Creates or replaces users, found by their values of the unique field `by`. Returns results in order. A failed user
   * or request does not stop the others. At most 50 users per request, fewer if they are long.
   */
  upsertMany(
    by: 'email' | (keyof Fields & string),
    users: readonly UserInput<Fields>[],
    options?: UpsertManyOptions,
  ): Promise<UpsertResult<Fields>[]>;
};

const MAX_IDS = 100;
const MAX_UPDATES = 50;
/** Limit of the changes in a request. The service accepts 100 kB, including ids and the query. */
const MAX_BYTES = 85_000;

export function createMany<Fields extends OwnFields>(
  url: string,
  transport: Transport,
  fields: readonly string[],
  users: Users<Fields>,
): Many<Fields> {
  type Result = UpdateResult<Fields>;
  const byIds = usersByIdsDocument(fields);
  const update = updateUsersDocument(fields);
  const upsert = upsertUsersDocument(fields);

  /** Repeats busy items. `isRetried`: an earlier attempt may have written the item. */
  async function settlePart<Input, Answer, Settled extends { error?: ClientError | undefined }>(
    inputs: readonly Input[],
    send: (inputs: Input[]) => Promise<{ results: readonly Answer[]; isRetried: boolean }>,
    toResult: (input: Input, answer: Answer | undefined, isRetried: boolean) => Settled | Promise<Settled>,
    signal: AbortSignal | undefined,
  ): Promise<(Settled | { error: ClientError })[]> {
    const results: (Settled | { error: ClientError })[] = [];
    let waiting = inputs.map((input, at) => ({ at, input }));
    for (let attempts = 1; waiting.length > 0; attempts++) {
      const sent = waiting;
      waiting = [];
      const answer = await send(sent.map(({ input }) => input)).catch(requireClientError);
      if (answer instanceof ClientError) {
        for (const { at } of sent) results[at] = { error: answer };
        break;
      }
      const isRetried = answer.isRetried || attempts > 1;
      for (const [index, { at, input }] of sent.entries()) {
        const result = await toResult(input, answer.results[index], isRetried);
        results[at] = result;
        if (result.error && isTemporary(result.error) && attempts < transport.maxAttempts) waiting.push({ at, input });
      }
      if (waiting.length > 0) await pause(backOff(attempts, transport.maxPauseMs), signal);
    }
    return results;
  }

  async function sendUpdates(inputs: UpdateInput[], signal: AbortSignal | undefined) {
    const variables = { users: inputs };
    // A version makes retries safe. A retry by id may overwrite another change.
    const options = { signal, idempotent: true };
    const { data, isRetried } = await transport.executeWithRetries(url, { query: update, variables }, options);
    return { results: data.updateUsers.results, isRetried };
  }

  async function toResult(
    { id, ifVersion, ...changes }: UpdateInput,
    answer: UpdateAnswer | undefined,
    isRetried: boolean,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    if (answer?.user) return { user: removeNulls<User<Fields>>(answer.user) };
    const error = toItemError(answer);
    if (!isRetried || ifVersion === undefined || error.version !== ifVersion + 1) return { error };
    // An earlier attempt, with a lost answer, may have written this version.
    const current = await users.get(id, { signal }).catch(requireClientError);
    if (current instanceof ClientError) return { error: current };
    const isDone = current?.version === error.version && (await isWritten(current, changes, url, transport, signal));
    return isDone ? { user: current } : { error };
  }

  return {
    async getMany(ids, { signal } = {}) {
      const found: (User<Fields> | undefined)[] = [];
      for (let at = 0; at < ids.length; at += MAX_IDS) {
        const variables = { ids: ids.slice(at, at + MAX_IDS) };
        const { usersByIds } = await transport.execute(url, { query: byIds, variables }, { signal });
        found.push(...usersByIds.map((user) => (user ? removeNulls<User<Fields>>(user) : undefined)));
      }
      return found;
    },

    async updateMany(updates, { signal } = {}) {
      const results: Result[] = [];
      const parts = prepare(() => [...splitUpdates(updates)]);
      for (const part of parts)
        results.push(
          ...(await settlePart(
            part.map(createInput),
            (inputs) => sendUpdates(inputs, signal),
            (input, answer, isRetried) => toResult(input, answer, isRetried, signal),
            signal,
          )),
        );
      return results;
    },

    async upsertMany(by, upserts, { keepOmitted = false, signal } = {}) {
      const results: UpsertResult<Fields>[] = [];
      const parts = prepare(() => [...splitUpdates(upserts.map((user) => ({ changes: toInput(user) })))]);
      for (const part of parts)
        results.push(
          ...(await settlePart(
            part.map(({ changes }) => changes),
            async (inputs) => {
              const variables = { input: { by, keepOmitted, users: inputs } };
              const options = { signal, idempotent: true };
              const { data, isRetried } = await transport.executeWithRetries(
                url,
                { query: upsert, variables },
                options,
              );
              return { results: data.upsertUsers.results, isRetried };
            },
            (_, answer): UpsertResult<Fields> =>
              answer?.user && answer.outcome
                ? { user: removeNulls<User<Fields>>(answer.user), outcome: answer.outcome }
                : { error: toItemError(answer) },
            signal,
          )),
        );
      return results;
    },
  };
}

function requireClientError(error: unknown): ClientError {
  if (error instanceof ClientError) return error;
  throw error;
}

function toItemError(answer: { error: ItemError | null } | undefined): ClientError {
  const { message = 'The service returned no result', code = 'UNEXPECTED_ANSWER', ...rest } = answer?.error ?? {};
  return toClientError({ message, extensions: { code, ...removeNulls(rest) } });
}

function* splitUpdates<Update extends { changes: object }>(updates: readonly Update[]): Generator<Update[]> {
  let part: Update[] = [];
  let bytes = 0;
  for (const update of updates) {
    const size = new TextEncoder().encode(JSON.stringify(update.changes)).length;
    if (part.length === MAX_UPDATES || (part.length > 0 && bytes + size > MAX_BYTES)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(update);
    bytes += size;
  }
  if (part.length > 0) yield part;
}

type UpdateInput = { id: string; ifVersion?: number };

function createInput({ user, changes }: { user: UserReference; changes: object }): UpdateInput {
  const input = toInput(changes);
  return typeof user === 'string' ? { ...input, id: user } : { ...input, id: user.id, ifVersion: user.version };
}

type UpsertAnswer = UpdateAnswer & { outcome: 'CREATED' | 'UPDATED' | 'UNCHANGED' | null };
type UpdateAnswer = { user: object | null; error: ItemError | null };
type ItemError = {
  message: string;
  code: string;
  reason: string | null;
  version: number | null;
  issues: { path: string[]; message: string }[] | null;
};

export const usersByIdsDocument = (
  fields: readonly string[],
): TypedDocument<{ usersByIds: (object | null)[] }, { ids: readonly string[] }> =>
  `query UsersByIds($ids: [ID!]!) { usersByIds(ids: $ids) { ${selectUser(fields)} } }`;

export const updateUsersDocument = (
  fields: readonly string[],
): TypedDocument<{ updateUsers: { results: UpdateAnswer[] } }, { users: UpdateInput[] }> =>
  `mutation UpdateUsers($users: [UpdateUserInput!]!) { updateUsers(input: { users: $users }) { results { user { ${selectUser(fields)} } error { message code reason version issues { path message } } } } }`;

export const upsertUsersDocument = (
  fields: readonly string[],
): TypedDocument<{ upsertUsers: { results: UpsertAnswer[] } }, { input: object }> =>
  `mutation UpsertUsers($input: UpsertUsersInput!) { upsertUsers(input: $input) { results { user { ${selectUser(fields)} } outcome error { message code reason version issues { path message } } } } }`;
