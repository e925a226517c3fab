import { ClientError, isChanged, isInvalid, isNotFound, unexpectedAnswer } from './errors.ts';
import { isWritten } from './lost-answer.ts';
import { type HttpResponse, type Transport, wasRetried } from './transport.ts';

/** The fields that a team declares, by name: `npx user-management-types` writes the type. */
export type OwnFields = object;

/** `version` is absent in lists. An update of a user that has none reads the user first, and compares. */
export type User<Fields extends OwnFields = object> = {
  id: string;
  name: string;
  email: string;
  version?: number;
} & Fields;

export type UserInput<Fields extends OwnFields = object> = { name: string; email: string } & Fields;

/** Null clears a field that is not required. */
export type UserChanges<Fields extends OwnFields = object> = {
  name?: string;
  email?: string;
} & { [Name in keyof Fields]?: Fields[Name] | null };

export type Page<Item> = { users: Item[]; page: number; pages: number; total: number };
export type SearchPage<Item> = { users: Item[]; next?: string };
export type Order = 'asc' | 'desc';

/** A value of a list finds users who have it among others. Times are in ISO 8601. */
export type UserFilter<Fields extends OwnFields = object> = {
  [Name in keyof Fields]?: Fields[Name] extends ReadonlyArray<infer Item> | undefined ? Item : Fields[Name];
} & { createdAfter?: string; createdBefore?: string; changedSince?: string };

/** What a list shows. All conditions must be true of a user. */
export type UserQuery<Fields extends OwnFields = object> = {
  filter?: UserFilter<Fields>;
  /** Finds users by the beginning of a word, sorted by the matched text unless `sort` is given. */
  search?: string;
  /** `name`, or a field that is declared with `sort`. */
  sort?: 'name' | (keyof Fields & string);
  order?: Order | undefined;
};

type Signal = { signal?: AbortSignal | undefined };
type CreateOptions = Signal & { idempotencyKey?: string };
type SearchRequest = { after?: string | undefined; limit?: number } & Signal;
type PageRequest = { page?: number; limit?: number; order?: Order | undefined } & Signal;

/** The operations on users. Own fields are members of a user. */
export type Users<Fields extends OwnFields = object> = {
  /**
   * Lists users, all of them without conditions: oldest first, unless `order` or `sort` says otherwise. Reads `pageSize` users at a
   * time, or fewer if they exceed the size of a response. A filter needs fields that are declared with `filter`.
   */
  list(options?: UserQuery<Fields> & { pageSize?: number } & Signal): AsyncGenerator<User<Fields>, void, undefined>;

  /** Reads one page of a list. `next` is the `after` of the following page. A page may be short although another follows. */
  listPage(request?: UserQuery<Fields> & SearchRequest): Promise<SearchPage<User<Fields>>>;

  /** Counts all users, or those of one value of a filter: undefined if they are more than 10,000. */
  count(filter?: UserFilter<Fields>, options?: Signal): Promise<number | undefined>;

  /** Reads one page by its number, from 1 on; every page costs the same. */
  page(request?: PageRequest): Promise<Page<User<Fields>>>;

  /** Finds users of whom each typed word is the beginning of a word of the name, a search field, the address or its domain. */
  search(text: string, options?: { pageSize?: number } & Signal): AsyncGenerator<User<Fields>, void, undefined>;

  /** Reads one page of a search; `next` is the `after` of the following one, if there is one. A page may be short although another follows. */
  searchPage(text: string, request?: SearchRequest): Promise<SearchPage<User<Fields>>>;

  /**
   * Finds the user with an email address or with a value of a unique field, such as `{ nickname: 'ada' }`.
   * Throws BAD_USER_INPUT if there is no value to search for, or one is undefined or null.
   */
  find(by: { email: string } | Partial<Fields>, options?: Signal): Promise<User<Fields> | undefined>;

  /** Returns undefined if no user has the id. */
  get(id: string, options?: Signal): Promise<User<Fields> | undefined>;

  /** Creates one user, however often it is sent: a key that is given makes calls of other processes the same one. */
  create(input: UserInput<Fields>, options?: CreateOptions): Promise<User<Fields>>;

  /**
   * Changes the given fields of a user, provided that nobody has changed the user since it was read; `isChanged` tells that error.
   * An id instead of the user means: whatever the version.
   */
  update(user: User<Fields> | string, changes: UserChanges<Fields>, options?: Signal): Promise<User<Fields>>;

  /** Replaces all fields, under the same condition as `update`. Own fields that are left out are cleared. */
  replace(user: User<Fields> | string, input: UserInput<Fields>, options?: Signal): Promise<User<Fields>>;

  /** Deletes the user, under the same condition as `update`. */
  delete(user: User<Fields> | string, options?: Signal): Promise<void>;
};

const PROBLEMS = { accept: 'application/json, application/problem+json' };

/** Sends the operations on users to REST, in the bare format. */
export function createUsers<Fields extends OwnFields>(
  baseUrl: string,
  graphqlUrl: string,
  transport: Transport,
): Users<Fields> {
  const { request } = transport;
  type Entity = User<Fields>;
  const url = `${baseUrl}/v1/users`;
  const toUrl = (id: string) => `${url}/${encodeURIComponent(id)}`;
  const send = (method: string, to: string, options: { headers?: Record<string, string>; body?: unknown } & Signal) =>
    request({ method, url: to, ...options, headers: { ...PROBLEMS, ...options.headers } });
  const toUser = ({ body, headers, version }: HttpResponse) =>
    ({ ...parseUser<Entity>(body, headers), version }) as Entity;

  /** Follows the links from page to page (RFC 8288). */
  async function* follow(query: Record<string, string | number | undefined>, { signal }: Signal) {
    for (let next: string | undefined = withQuery(url, query); next; ) {
      const { body, headers }: HttpResponse = await readPage(next, signal);
      yield* parseUsers<Entity>(body, headers);
      // The path of the base may differ from that of the service.
      const following: string | undefined = findNextQuery(headers.get('link'));
      next = following && `${url}?${encodeSpaces(following)}`;
    }
  }

  /** Reads a page, with half as many users if they exceed the size of a response. Its link repeats the limit. */
  async function readPage(pageUrl: string, signal: AbortSignal | undefined): Promise<HttpResponse> {
    try {
      return await send('GET', pageUrl, { signal });
    } catch (error) {
      const { limit, ...query } = Object.fromEntries(new URLSearchParams(pageUrl.split('?')[1]));
      const isTooHigh = isInvalid(error) && error.issues.some(({ path }) => path[0] === 'limit');
      if (!isTooHigh || Number(limit) < 2) throw error;
      // `after` says where the page begins. Its number would be another one with another limit.
      return readPage(withQuery(url, { ...query, limit: Math.floor(Number(limit) / 2), page: undefined }), signal);
    }
  }

  const users: Users<Fields> = {
    list: ({ pageSize = 1000, signal, ...query } = {}) =>
      follow({ limit: pageSize, ...toParameters(query) }, { signal }),

    async listPage({ after, limit = 100, signal, ...query } = {}) {
      const to = withQuery(url, { limit, after, ...toParameters(query) });
      const { body, headers } = await send('GET', to, { signal });
      return { users: parseUsers<Entity>(body, headers), ...readNext(headers) };
    },

    async count(filter = {}, { signal } = {}) {
      const to = withQuery(url, { limit: 1, ...toParameters({ filter }) });
      const { headers } = await send('GET', to, { signal, headers: { prefer: 'count=exact' } });
      const total = headers.get('x-total-count');
      return total === null ? undefined : Number(total);
    },

    async page({ page = 1, limit = 100, order, signal } = {}) {
      const to = withQuery(url, { page, limit, order });
      const { body, headers } = await send('GET', to, { signal });
      const total = Number(headers.get('x-total-count'));
      return { users: parseUsers<Entity>(body, headers), page, pages: Math.max(1, Math.ceil(total / limit)), total };
    },

    async *search(text, { pageSize = 100, signal } = {}) {
      yield* follow({ ...requireValues({ q: text }), limit: pageSize }, { signal });
    },

    async searchPage(text, { after, limit = 100, signal } = {}) {
      const { body, headers } = await send('GET', withQuery(url, { ...requireValues({ q: text }), limit, after }), {
        signal,
      });
      return { users: parseUsers<Entity>(body, headers), ...readNext(headers) };
    },

    async find(by, { signal } = {}) {
      const { body, headers } = await send('GET', withQuery(url, requireValues(by)), { signal });
      return parseUsers<Entity>(body, headers)[0];
    },

    async get(id, { signal } = {}) {
      try {
        return toUser(await send('GET', toUrl(id), { signal }));
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },

    async create(input, { idempotencyKey = createKey(), signal } = {}) {
      const headers = { 'idempotency-key': idempotencyKey };
      return toUser(await send('POST', url, { headers, body: input, signal }));
    },

    update: (user, changes, options = {}) => write('PATCH', user, changes, options),

    replace: (user, input, options = {}) => write('PUT', user, input, options),

    async delete(user, { signal } = {}) {
      const { id, headers } = await requireVersion(user, signal);
      try {
        await send('DELETE', toUrl(id), { headers, signal });
      } catch (error) {
        // An earlier attempt, whose answer was lost, has deleted it.
        if (!(isNotFound(error) && wasRetried(error))) throw error;
      }
    },
  };

  async function write(
    method: 'PATCH' | 'PUT',
    user: Entity | string,
    body: object,
    { signal }: Signal,
  ): Promise<Entity> {
    const { id, headers, version } = await requireVersion(user, signal);
    try {
      return toUser(await send(method, toUrl(id), { headers, body, signal }));
    } catch (error) {
      if (!isChanged(error) || !wasRetried(error) || error.version !== (version ?? 0) + 1) throw error;
      // An earlier attempt, whose answer was lost, may have written this version.
      const current = await users.get(id, { signal });
      if (current?.version !== error.version) throw error;
      const sent = method === 'PUT' ? { ...clearFields(current), ...body } : body;
      if (await isWritten(current, sent, graphqlUrl, transport, signal)) return current;
      throw error;
    }
  }

  /** Returns the condition of a write. A listed user is read again: its version is that of the record it is equal to. */
  async function requireVersion(user: Entity | string, signal: AbortSignal | undefined) {
    if (typeof user === 'string') return { id: user, headers: {}, version: undefined };
    const version = user.version ?? (await readVersion(users, user, signal));
    return { id: user.id, headers: { 'if-match': `"${version}"` }, version };
  }

  return users;
}

/** Returns the version of a listed user. Throws PRECONDITION_FAILED if the user has changed since, and NOT_FOUND. */
export async function readVersion(
  users: Pick<Users, 'get'>,
  { version: _, ...seen }: User,
  signal: AbortSignal | undefined,
): Promise<number> {
  const current = await users.get(seen.id, { signal });
  if (!current) throw new ClientError(404, 'User not found', { code: 'NOT_FOUND' });
  const { version, ...members } = current;
  if (version !== undefined && isEqual(members, seen)) return version;
  throw new ClientError(412, 'The user has changed since it was listed', { code: 'PRECONDITION_FAILED', version });
}

/** The service has validated what it stores: what has an id has the declared types. */
function parseUser<Entity>(body: unknown, headers: Headers): Entity {
  if (typeof body === 'object' && body !== null && 'id' in body) return body as Entity;
  throw unexpectedAnswer({ status: 200, headers }, body);
}

function parseUsers<Entity>(body: unknown, headers: Headers): Entity[] {
  if (Array.isArray(body)) return body.map((user) => parseUser<Entity>(user, headers));
  throw unexpectedAnswer({ status: 200, headers }, body);
}

/** `crypto.randomUUID` is missing on pages that are served over plain HTTP to other machines. */
export const createKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Without a value, the service would list all users. JavaScript and optional fields do not prevent that. */
function requireValues(by: object): Record<string, string> {
  const members = Object.entries(by);
  const missing = members.filter(([, value]) => value === undefined || value === null);
  if (members.length > 0 && missing.length === 0)
    return Object.fromEntries(members.map(([name, value]) => [name, String(value)]));
  const issues = missing.map(([name]) => ({ path: [name], message: 'must have a value' }));
  const message =
    issues.map(({ path, message }) => `${path} ${message}`).join('; ') || 'There is no value to search for';
  throw new ClientError(400, message, { code: 'BAD_USER_INPUT', issues });
}

function withQuery(url: string, query: Record<string, string | number | undefined>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  return `${url}?${encodeSpaces(String(parameters))}`;
}

/** Signature Version 4 signs a space as %20, and API Gateway may take a plus for itself. */
const encodeSpaces = (query: string): string => query.replaceAll('+', '%20');

function readNext(headers: Headers): { next?: string } {
  const next = new URLSearchParams(findNextQuery(headers.get('link'))).get('after');
  return next === null ? {} : { next };
}

type Condition = { filter?: object; search?: string; sort?: string; order?: Order | undefined };

/** Throws BAD_USER_INPUT for a condition without a value, which the service would not see. */
const toParameters = ({ filter = {}, search, sort, order }: Condition) => ({
  ...(Object.keys(filter).length > 0 ? requireValues(filter) : {}),
  ...(search === undefined ? {} : { q: search }),
  sort,
  order,
});

const findNextQuery = (link: string | null): string | undefined =>
  /<[^>?]*\?([^>]*)>;\s*rel="?next"?/.exec(link ?? '')?.[1];

/** A replacement clears what it leaves out. */
const clearFields = ({ id: _, version: __, ...fields }: User) =>
  Object.fromEntries(Object.keys(fields).map((name) => [name, null]));

/** Records are flat, but for lists of plain values. */
const isEqual = (one: object, other: object): boolean => toText(one) === toText(other);
const toText = (record: object) => JSON.stringify(Object.entries(record).sort());
