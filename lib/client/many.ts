import { ClientError, toClientError } from './errors.ts';
import { isWritten } from './lost-answer.ts';
import { defineOperation, type Signal, type Transport } from './transport.ts';
import {
  dropVersion,
  type OwnFields,
  readVersion,
  removeNulls,
  selectUser,
  type User,
  type UserChanges,
  type Users,
} from './users.ts';

/** Pass a user that you have read to fail if it has changed since, or an id to update any version. */
export type UserUpdate<Fields extends OwnFields = object> = {
  user: User<Fields> | string;
  changes: UserChanges<Fields>;
};

/** `error` is the error that `update` would throw. */
export type UpdateResult<Fields extends OwnFields = object> =
  | { user: User<Fields>; error?: undefined }
  | { user?: undefined; error: ClientError };

export type Many<Fields extends OwnFields = object> = {
  /** Returns users in the order of `ids`, undefined for unknown ids. 100 users per request. */
  getMany(ids: readonly string[], options?: Signal): Promise<(User<Fields> | undefined)[]>;

  /** Returns results in order. A failed update does not stop the others. 50 users per request. */
  updateMany(updates: readonly UserUpdate<Fields>[], options?: Signal): Promise<UpdateResult<Fields>[]>;
};

const MAX_IDS = 100;
const MAX_UPDATES = 50;

export function createMany<Fields extends OwnFields>(
  url: string,
  transport: Transport,
  fields: readonly string[],
  users: Users<Fields>,
): Many<Fields> {
  type Result = UpdateResult<Fields>;
  const byIds = usersByIdsDocument(fields);
  const update = updateUsersDocument(fields);

  async function updatePart(
    updates: readonly UserUpdate<Fields>[],
    signal: AbortSignal | undefined,
  ): Promise<Result[]> {
    const inputs = await Promise.all(
      updates.map(({ user, changes }) =>
        createInput(user, changes, signal).catch((error: unknown) => {
          if (error instanceof ClientError) return error;
          throw error;
        }),
      ),
    );
    const sent = inputs.flatMap((input) => (input instanceof ClientError ? [] : [input]));
    const { results, isRetried } = sent.length > 0 ? await send(sent, signal) : { results: [], isRetried: false };
    const answers = results.values();
    const outcomes: Result[] = [];
    for (const input of inputs) {
      if (input instanceof ClientError) outcomes.push({ error: input });
      else outcomes.push(await toResult(input, answers.next().value, isRetried, signal));
    }
    return outcomes;
  }

  async function send(inputs: UpdateInput[], signal: AbortSignal | undefined) {
    const variables = { users: inputs };
    // Safe to retry: repeating the same change has no further effect.
    const options = { signal, idempotent: true };
    const { data, isRetried } = await transport.executeWithRetries(url, { query: update, variables }, options);
    return { results: data.updateUsers.results, isRetried };
  }

  async function createInput(
    user: User<Fields> | string,
    changes: UserChanges<Fields>,
    signal: AbortSignal | undefined,
  ): Promise<UpdateInput> {
    const input = dropVersion(changes);
    if (typeof user === 'string') return { ...input, id: user };
    return { ...input, id: user.id, ifVersion: user.version ?? (await readVersion(users, user, signal)) };
  }

  async function toResult(
    { id, ifVersion, ...changes }: UpdateInput,
    answer: UpdateAnswer | undefined,
    isRetried: boolean,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    if (answer?.user) return { user: removeNulls<User<Fields>>(answer.user) };
    const { message = 'The service returned no result', code = 'UNEXPECTED_ANSWER', ...rest } = answer?.error ?? {};
    const error = toClientError({ message, extensions: { code, ...removeNulls(rest) } });
    if (!isRetried || ifVersion === undefined || error.version !== ifVersion + 1) return { error };
    // An earlier attempt, with a lost answer, may have written this version.
    const current = await users.get(id, { signal });
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
      for (let at = 0; at < updates.length; at += MAX_UPDATES)
        results.push(...(await updatePart(updates.slice(at, at + MAX_UPDATES), signal)));
      return results;
    },
  };
}

type UpdateInput = { id: string; ifVersion?: number };
type UpdateAnswer = { user: object | null; error: ItemError | null };
type ItemError = {
  message: string;
  code: string;
  reason: string | null;
  version: number | null;
  issues: { path: string[]; message: string }[] | null;
};

export const usersByIdsDocument = (fields: readonly string[]) =>
  defineOperation<{ usersByIds: (object | null)[] }, { ids: readonly string[] }>(
    `query UsersByIds($ids: [ID!]!) { usersByIds(ids: $ids) { ${selectUser(fields)} } }`,
  );

export const updateUsersDocument = (fields: readonly string[]) =>
  defineOperation<{ updateUsers: { results: UpdateAnswer[] } }, { users: UpdateInput[] }>(
    `mutation UpdateUsers($users: [UpdateUserInput!]!) { updateUsers(input: { users: $users }) { results { user { ${selectUser(fields)} } error { message code reason version issues { path message } } } } }`,
  );
