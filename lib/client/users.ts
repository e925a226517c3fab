import {
  ClientError,
  isChanged,
  isInvalid,
  isNotFound,
  rejectOptions,
  unexpectedAnswer,
  wasRetried,
} from './errors.ts';
import { ignoreDeleted, isWritten } from './lost-answer.ts';
import { type HttpResponse, REST_HEADERS, type Signal, type Transport } from './transport.ts';

/** Own fields by name. `npx user-management-types` generates the type. */
export type OwnFields = object;

/** Times are ISO 8601 in UTC. */
export type User<Fields extends OwnFields = object> = {
  id: string;
  name: string;
  email: string;
  createdAt: string;
  updatedAt: string;
  version: number;
} & Fields;

/** A user as it was read, or an id to skip the check of the version. */
export type UserReference = Pick<User, 'id' | 'version'> | string;

/** Optional members may be undefined, which JSON omits. */
export type WithUndefined<Fields> = {
  [Name in keyof Fields]: Record<never, never> extends Pick<Fields, Name> ? Fields[Name] | undefined : Fields[Name];
};

export type UserInput<Fields extends OwnFields = object> = { name: string; email: string } & WithUndefined<Fields>;

/** Null clears an optional field. */
export type UserChanges<Fields extends OwnFields = object> = {
  name?: string | undefined;
  email?: string | undefined;
} & { [Name in keyof Fields]?: Fields[Name] | null | undefined };

export type Page<Item> = { users: Item[]; page: number; pages: number; total: number };
export type SearchPage<Item> = { users: Item[]; next?: string | undefined };
export type Order = 'asc' | 'desc';

type ItemOf<Value> = NonNullable<Value> extends ReadonlyArray<infer Item> ? Item : NonNullable<Value>;
type Operator = 'gte' | 'gt' | 'lte' | 'lt';

/**
 * Several values match users with any of them. The value of a list field matches lists that contain it. `score.gte` and
 * the other operators need a field with `sort`. Times are ISO 8601. A member without a value is an error.
 */
export type UserFilter<Fields extends OwnFields = object> = {
  [Name in keyof Fields]?: ItemOf<Fields[Name]> | readonly ItemOf<Fields[Name]>[];
} & { [Name in keyof Fields & string as `${Name}.${Operator}`]?: ItemOf<Fields[Name]> } & {
  [Name in keyof Fields & string as `${Name}.exists`]?: boolean;
} & { createdAfter?: string; createdBefore?: string; changedSince?: string; group?: string; role?: string };

export type UserQuery<Fields extends OwnFields = object> = {
  filter?: UserFilter<Fields> | undefined;
  /** Beginnings of words. Sorts by the matched text unless `sort` is set. */
  search?: string | undefined;
  /** `name`, or a field declared with `sort`. */
  sort?: 'name' | (keyof Fields & string) | undefined;
  order?: Order | undefined;
};

type CreateOptions = Signal & { idempotencyKey?: string | undefined };
/** `only`: fails with an error recognized by `isChanged` if the user exists, or does not exist. */
type UpsertOptions = Signal & { only?: 'create' | 'replace' | undefined };
type ListOptions = Signal & { pageSize?: number | undefined };
type SearchRequest = Signal & { after?: string | undefined; limit?: number | undefined };
type PageRequest = Signal & { page?: number | undefined; limit?: number | undefined; order?: Order | undefined };

export type Users<Fields extends OwnFields = object> = {
  /**
   * Lists users. Default: all, oldest first. Pages are smaller than `pageSize` if the response would be too large.
   * `filter` supports fields declared with `filter`, and ranges of those with `sort`.
   */
  list(options?: UserQuery<Fields> & ListOptions): AsyncGenerator<User<Fields>, void, undefined>;

  /** Pass `next` as `after` to get the following page. A page may be short although more follow. */
  listPage(request?: UserQuery<Fields> & SearchRequest): Promise<SearchPage<User<Fields>>>;

  /**
   * Counts all users, or those who match all conditions. Undefined with `changedSince`, for more than 10,000 users, or
   * if counting would read more than 20,000 keys.
   */
  count(filter?: UserFilter<Fields>, options?: Signal): Promise<number | undefined>;

  /** Pages of all users, numbered from 1. Every page costs about the same. Has no filter: use `listPage`. */
  page(request?: PageRequest): Promise<Page<User<Fields>>>;

  /** Every word must be the beginning of a word in the name, a search field, the email address or its domain. */
  search(text: string, options?: ListOptions): AsyncGenerator<User<Fields>, void, undefined>;

  /** Searches like `search`, and pages like `listPage`. */
  searchPage(text: string, request?: SearchRequest): Promise<SearchPage<User<Fields>>>;

  /**
   * Finds the user with an email address or a unique value, such as `{ nickname: 'ada' }`. Throws BAD_USER_INPUT if a
   * value is missing.
   */
  find(by: { email: string } | Partial<Fields>, options?: Signal): Promise<User<Fields> | undefined>;

  /** Returns undefined for an unknown id. */
  get(id: string, options?: Signal): Promise<User<Fields> | undefined>;

  /** Retries never create a second user. Pass your own key to make separate calls repeatable, too. */
  create(input: UserInput<Fields>, options?: CreateOptions): Promise<User<Fields>>;

  /**
   * Throws an error recognized by `isChanged` if the user has changed since it was read. Pass an id to skip this check:
   * a retry may then overwrite what another client has changed meanwhile.
   */
  update(user: UserReference, changes: UserChanges<Fields>, options?: Signal): Promise<User<Fields>>;

  /** Clears own fields that `input` omits. Checks the version like `update`. */
  replace(user: UserReference, input: UserInput<Fields>, options?: Signal): Promise<User<Fields>>;

  /**
   * Creates or replaces the user with this address or unique value, such as `{ externalId: 'crm-17' }`. Parallel calls
   * create one user. `input` may omit the value. Clears other own fields that `input` omits.
   */
  upsert(
    by: { email: string } | Partial<Fields>,
    input: { email?: string | undefined } & Omit<UserInput<Fields>, 'email'>,
    options?: UpsertOptions,
  ): Promise<User<Fields>>;

  /** Checks the version like `update`. */
  delete(user: UserReference, options?: Signal): Promise<void>;
};

const ONLY: readonly unknown[] = [undefined, 'create', 'replace'];

/** The service's limit of users per page. */
const MAX_LIMIT = 1000;

export function createUsers<Fields extends OwnFields>(
  baseUrl: string,
  graphqlUrl: string,
  transport: Transport,
): Users<Fields> {
  const { request } = transport;
  type Entity = User<Fields>;
  const url = `${baseUrl}/v1/users`;
  /** Throws NOT_FOUND for ids that a path cannot contain, or that have another meaning. */
  const toUrl = (id: string) => {
    // `/v1/users/me` is the caller's own record.
    if (/^(\.{0,2}|me)$/.test(id) || !id.isWellFormed()) throw notFound();
    return withQuery(`${url}/${encodeURIComponent(id)}`, {});
  };
  const send = (method: string, to: string, options: { headers?: Record<string, string>; body?: unknown } & Signal) =>
    request({ method, url: to, ...options, headers: { ...REST_HEADERS, ...options.headers } });

  /** Reads page after page, by the links in `Link` (RFC 8288). */
  async function* follow(query: Record<string, string | number | undefined>, { signal }: Signal) {
    for (let next: string | undefined = withQuery(url, query); next; ) {
      const { body, headers }: HttpResponse = await readPage(next, signal);
      yield* parseUsers<Entity>(body, headers);
      // Takes only the link's query: `baseUrl` may have another path than the service.
      const following: string | undefined = findNextQuery(headers.get('link'));
      next = following && `${url}?${encodeSpaces(following)}`;
    }
  }

  /** Lowers the limit if it or the response would be too large. The next link repeats the lower limit. */
  async function readPage(pageUrl: string, signal: AbortSignal | undefined): Promise<HttpResponse> {
    try {
      return await send('GET', pageUrl, { signal });
    } catch (error) {
      const sent = new URLSearchParams(pageUrl.split('?')[1]);
      const limit = sent.get('limit');
      const isTooHigh = isInvalid(error) && error.issues.some(({ path }) => path[0] === 'limit');
      const lower = Math.min(MAX_LIMIT, Math.floor(Number(limit) / 2));
      // Negated, because no comparison is true for NaN.
      if (!isTooHigh || !(lower >= 1)) throw error;
      // Drops the page number, which would mean another page with the lower limit.
      sent.delete('page');
      sent.set('limit', String(lower));
      return readPage(`${url}?${encodeSpaces(String(sent))}`, signal);
    }
  }

  const users: Users<Fields> = {
    list: ({ pageSize = MAX_LIMIT, signal, ...query } = {}) =>
      follow({ limit: pageSize, ...toParameters(query) }, { signal }),

    async listPage({ after, limit = 100, signal, ...query } = {}) {
      const to = withQuery(url, { limit, after, ...toParameters(query) });
      const { body, headers } = await readPage(to, signal);
      return { users: parseUsers<Entity>(body, headers), next: readNext(headers) };
    },

    async count(filter = {}, { signal, ...others } = {}) {
      rejectOptions(others);
      const to = withQuery(url, { limit: 1, ...toParameters({ filter }) });
      const { headers } = await send('GET', to, { signal, headers: { prefer: 'count=exact' } });
      const total = headers.get('x-total-count');
      return total === null ? undefined : Number(total);
    },

    async page({ page = 1, limit = 100, order, signal, ...others } = {}) {
      rejectOptions(others);
      const to = withQuery(url, { page, limit, order });
      const { body, headers } = await send('GET', to, { signal });
      const total = Number(headers.get('x-total-count'));
      return { users: parseUsers<Entity>(body, headers), page, pages: Math.max(1, Math.ceil(total / limit)), total };
    },

    async *search(text, { pageSize = 100, signal, ...others } = {}) {
      rejectOptions(others);
      yield* follow({ ...requireValues({ q: text }), limit: pageSize }, { signal });
    },

    async searchPage(text, { after, limit = 100, signal, ...others } = {}) {
      rejectOptions(others);
      const { body, headers } = await send('GET', withQuery(url, { ...requireValues({ q: text }), limit, after }), {
        signal,
      });
      return { users: parseUsers<Entity>(body, headers), next: readNext(headers) };
    },

    async find(by, { signal } = {}) {
      const { body, headers } = await send('GET', withQuery(url, requireValues(by)), { signal });
      return parseUsers<Entity>(body, headers)[0];
    },

    async get(id, { signal } = {}) {
      try {
        return parseUser<Entity>(await send('GET', toUrl(id), { signal }));
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },

    async create(input, { idempotencyKey = createKey(), signal, ...others } = {}) {
      rejectOptions(others);
      const headers = { 'idempotency-key': requireKey(idempotencyKey) };
      return parseUser<Entity>(await send('POST', withQuery(url, {}), { headers, body: input, signal }));
    },

    update: (user, changes, options = {}) => write('PATCH', user, changes, options),

    replace: (user, input, options = {}) => write('PUT', user, input, options),

    async upsert(by, input, { only, signal, ...others } = {}) {
      rejectOptions(others);
      if (!ONLY.includes(only)) throw invalidOnly();
      const headers = only === 'create' ? { 'if-none-match': '*' } : only === 'replace' ? { 'if-match': '*' } : {};
      const [to, body] = [withQuery(url, requireValues(by)), toInput(input)];
      try {
        return parseUser<Entity>(await send('PUT', to, { headers, body, signal }));
      } catch (error) {
        if (only !== 'create' || !isChanged(error) || !wasRetried(error)) throw error;
        // An earlier attempt, with a lost answer, may have created the user.
        const current = await users.find(by, { signal });
        if (current?.version !== 1 || !(await isWritten(current, body, graphqlUrl, transport, signal))) throw error;
        return current;
      }
    },

    async delete(user, { signal, ...others } = {}) {
      rejectOptions(others);
      const { id, headers } = toCondition(user);
      await send('DELETE', toUrl(id), { headers, signal }).catch(ignoreDeleted);
    },
  };

  async function write(
    method: 'PATCH' | 'PUT',
    user: UserReference,
    body: object,
    { signal, ...others }: Signal,
  ): Promise<Entity> {
    rejectOptions(others);
    const { id, headers, version } = toCondition(user);
    try {
      return parseUser<Entity>(await send(method, toUrl(id), { headers, body: toInput(body), signal }));
    } catch (error) {
      if (!isChanged(error) || !wasRetried(error) || error.version !== (version ?? 0) + 1) throw error;
      // An earlier attempt, with a lost answer, may have written this version.
      const current = await users.get(id, { signal });
      if (current?.version !== error.version) throw error;
      const sent = toInput(method === 'PUT' ? { ...clearFields(current), ...body } : body);
      if (await isWritten(current, sent, graphqlUrl, transport, signal)) return current;
      throw error;
    }
  }

  return users;
}

const invalidOnly = () => {
  const message = 'must be create or replace';
  return new ClientError(400, `only ${message}`, { code: 'BAD_USER_INPUT', issues: [{ path: ['only'], message }] });
};

const notFound = () => new ClientError(404, 'User not found', { code: 'NOT_FOUND' });

function toCondition(user: UserReference) {
  if (typeof user === 'string') return { id: user, headers: {}, version: undefined };
  return { id: user.id, headers: { 'if-match': `"${user.version}"` }, version: user.version };
}

/** Drops members that only the service sets: callers may send a user as it was read, with changes. */
export function toInput<Body extends object>(body: Body): Omit<Body, 'createdAt' | 'updatedAt' | 'version'> {
  const { createdAt: _, updatedAt: __, version: ___, ...input } = body as Body & Partial<User>;
  return input;
}

/** Checks only for an id, because the service validates users. */
export function parseUser<Entity>({ body, headers }: Pick<HttpResponse, 'body' | 'headers'>): Entity {
  if (typeof body === 'object' && body !== null && 'id' in body) return body as Entity;
  throw unexpectedAnswer({ status: 200, headers }, body);
}

function parseUsers<Entity>(body: unknown, headers: Headers): Entity[] {
  if (Array.isArray(body)) return body.map((user) => parseUser<Entity>({ body: user, headers }));
  throw unexpectedAnswer({ status: 200, headers }, body);
}

/**
 * Creates a random key without `crypto.randomUUID`, which is missing on pages over plain HTTP, except from this
 * machine.
 */
export const createKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Throws BAD_USER_INPUT for a malformed key. `fetch` fails for some, as if the service were unreachable. */
function requireKey(key: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new ClientError(400, 'idempotencyKey must be 1 to 255 visible ASCII characters', { code: 'BAD_USER_INPUT' });
}

/** Throws BAD_USER_INPUT for a missing value: the service would list all users. */
function requireValues(by: object): Record<string, string | string[]> {
  const members = Object.entries(by);
  const missing = members.filter(([, value]) => value === undefined || value === null || value.length === 0);
  if (members.length > 0 && missing.length === 0)
    return Object.fromEntries(
      members.map(([name, value]) => [name, Array.isArray(value) ? value.map(String) : String(value)]),
    );
  const issues = missing.map(([name]) => ({ path: [name], message: 'must have a value' }));
  const message =
    issues.map(({ path, message }) => `${path} ${message}`).join('; ') || 'Pass at least one value to search for';
  throw new ClientError(400, message, { code: 'BAD_USER_INPUT', issues });
}

function withQuery(url: string, query: Record<string, string | number | readonly string[] | undefined>): string {
  const parameters = new URLSearchParams();
  for (const [name, value = []] of Object.entries({ include: 'times', ...query }))
    for (const each of [value].flat()) parameters.append(name, String(each));
  return `${url}?${encodeSpaces(String(parameters))}`;
}

/** Signature Version 4 signs a space as %20, and API Gateway may interpret a plus literally. */
const encodeSpaces = (query: string): string => query.replaceAll('+', '%20');

const readNext = (headers: Headers): string | undefined =>
  new URLSearchParams(findNextQuery(headers.get('link'))).get('after') ?? undefined;

/** Throws BAD_USER_INPUT for a condition without a value. */
function toParameters<Fields extends OwnFields>({ filter = {}, search, sort, order, ...others }: UserQuery<Fields>) {
  rejectOptions(others);
  return { ...(Object.keys(filter).length > 0 ? requireValues(filter) : {}), q: search, sort, order };
}

const findNextQuery = (link: string | null): string | undefined =>
  /<[^>?]*\?([^>]*)>;\s*rel="?next"?/.exec(link ?? '')?.[1];

function clearFields({ id: _, ...user }: User) {
  return Object.fromEntries(Object.keys(toInput(user)).map((name) => [name, null]));
}

/** Selects the members of a user. Memberships have the format of REST. */
export const selectUser = (fields: readonly string[]): string =>
  ['id name email', ...fields.map(selectField), 'createdAt updatedAt version'].join(' ');

/** `groups` is never an own field, because its name is reserved. */
const selectField = (name: string): string => (name === 'groups' ? 'groups { id: groupId role }' : name);

/** GraphQL returns null for a field without a value, REST omits it. The cast is safe: the queries select all members. */
export const removeNulls = <Entity extends object>(entity: object): Entity =>
  Object.fromEntries(Object.entries(entity).filter(([, value]) => value !== null)) as Entity;
