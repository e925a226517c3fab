import { ClientError, isChanged, isNotFound, unexpectedAnswer, wasRetried } from './errors.ts';
import { ignoreDeleted, isWritten } from './lost-answer.ts';
import { type Following, followChanges } from './subscription.ts';
import { type HttpResponse, REST_HEADERS, type Signal, type Transport } from './transport.ts';
import { type OwnFields, parseUser, removeNulls, type UserChanges, type WithUndefined } from './users.ts';

/** The signed-in person's own record, without hidden own fields. */
export type MyRecord<Fields extends OwnFields = object> = {
  id: string;
  name: string;
  email: string;
  version: number;
} & Partial<Fields>;

/** `idToken`: verifies the address if the access token does not. At most 5 minutes old. */
type Proof = { idToken?: string | undefined };

/** `email` defaults to the token's verified address, and must not differ from it. */
export type MyInput<Fields extends OwnFields = object> = {
  name: string;
  email?: string | undefined;
} & Proof &
  WithUndefined<Partial<Fields>>;

/** Only a creation uses these members. */
export type SignInInput<Fields extends OwnFields = object> = Partial<MyInput<Fields>>;

export type SignedIn<Fields extends OwnFields = object> = {
  me: MyRecord<Fields>;
  /** `linked`: the service has given an existing record with the person's verified address to the person. */
  outcome: 'found' | 'linked' | 'created';
  /** The record keeps its address, because another user has the token's address. */
  emailConflict: boolean;
};

/** `me` is the record after the change, or null for a deletion. */
export type MyChange<Fields extends OwnFields = object> = {
  cursor: string;
  kind: 'CREATED' | 'UPDATED' | 'DELETED';
  at: string;
  me: MyRecord<Fields> | null;
};

/** The person's data. `missing` lists absent data. Fields are as in `MyRecord`. */
export type MyData = {
  missing: string[];
  user: object;
  logins: string[];
  earlierRecords: string[];
  posts: { id: string; title: string; publishedAt: string | null; version: number }[];
  changes: object[];
};

/** API for front ends. The scope `users:self` is enough. */
export type Me<Fields extends OwnFields = object> = {
  /**
   * Finds, links or creates the record: call it once after each sign-in. A creation without a name throws
   * BAD_USER_INPUT: ask for the name, and call again. After a lost answer, the outcome is `found`.
   */
  signIn(input?: SignInInput<Fields>, options?: Signal): Promise<SignedIn<Fields>>;

  /** Returns undefined if the person has no record yet: call `signIn` or `create`. */
  get(options?: Signal): Promise<MyRecord<Fields> | undefined>;

  /** Throws SUBJECT_TAKEN if the person already has a record. */
  create(input: MyInput<Fields>, options?: Signal): Promise<MyRecord<Fields>>;

  /** Fails if the record has changed since `current` was read. */
  update(
    changes: UserChanges<Fields> & Proof,
    options?: { current?: MyRecord<Fields> | undefined } & Signal,
  ): Promise<MyRecord<Fields>>;

  /**
   * Requires a deployment that lets people delete their records. Throws SIGN_IN_TOO_OLD if the person must sign in
   * again.
   */
  delete(options?: { current?: MyRecord<Fields> | undefined } & Signal): Promise<void>;

  /**
   * Adds the login of another access token, at most 5 minutes old. Requires a deployment with a list of subjects. Throws
   * SUBJECT_TAKEN, SUBJECT_DELETED or TOO_MANY_LOGINS.
   */
  addLogin(token: string, options?: Signal): Promise<MyRecord<Fields>>;

  /** Three a day, then TOO_MANY_REQUESTS. */
  download(options?: Signal): Promise<MyData>;

  /** Requires a deployment with `subscriptions=web-function`, and `fields` without hidden fields. */
  changes(options?: { after?: string | undefined } & Following): AsyncGenerator<MyChange<Fields>, void, undefined>;
};

export function createMe<Fields extends OwnFields>(
  baseUrl: string,
  graphqlUrl: string,
  transport: Transport,
  fields: readonly string[],
): Me<Fields> {
  const url = `${baseUrl}/v1/users/me`;
  type Options = Signal & { path?: string; body?: object; current?: MyRecord<Fields> | undefined };
  const send = (method: string, { current, path = '', ...options }: Options) =>
    transport.request({
      method,
      url: url + path,
      ...options,
      headers: { ...REST_HEADERS, ...(current ? { 'if-match': `"${current.id}.${current.version}"` } : {}) },
    });

  const me: Me<Fields> = {
    async signIn(body = {}, { signal } = {}) {
      return parseSignIn<Fields>(await send('POST', { path: '/sign-in', body, signal }));
    },

    async get({ signal } = {}) {
      try {
        return parseRecord<Fields>(await send('GET', { signal }));
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },

    async create(body, options = {}) {
      try {
        return parseRecord<Fields>(await send('POST', { ...options, body }));
      } catch (error) {
        // An earlier attempt, with a lost answer, has created the record.
        const isOwn = error instanceof ClientError && error.code === 'SUBJECT_TAKEN' && wasRetried(error);
        const created = isOwn ? await me.get(options) : undefined;
        if (created?.version === 1) return created;
        throw error;
      }
    },

    async update(body, options = {}) {
      try {
        return parseRecord<Fields>(await send('PATCH', { ...options, body }));
      } catch (error) {
        if (!options.current || !isChanged(error) || !wasRetried(error)) throw error;
        // An earlier attempt, with a lost answer, may have written the next version.
        const written = await me.get(options);
        const isNext = written?.version === options.current.version + 1;
        const { idToken: _, ...changes } = body;
        if (isNext && (await isWritten(written, changes, graphqlUrl, transport, options.signal))) return written;
        throw error;
      }
    },

    async addLogin(token, options = {}) {
      return parseRecord<Fields>(await send('POST', { ...options, path: '/logins', body: { token } }));
    },

    async delete(options = {}) {
      await send('DELETE', options).catch(ignoreDeleted);
    },

    async download({ signal } = {}) {
      const { body, headers } = await send('GET', { path: '/data', signal });
      if (typeof body === 'object' && body !== null && 'missing' in body) return body as MyData;
      throw unexpectedAnswer({ status: 200, headers }, body);
    },

    async *changes({ after, ...following } = {}) {
      const operation = { query: meChangedDocument(fields), variables: { after } };
      for await (const { me, ...change } of followChanges<MyChange>(transport, graphqlUrl, operation, following))
        yield { ...change, me: me && removeNulls(me) };
    },
  };
  return me;
}

function parseSignIn<Fields extends OwnFields>(response: HttpResponse): SignedIn<Fields> {
  const { body, headers } = response;
  const outcome = headers.get('sign-in-outcome');
  if (outcome === 'found' || outcome === 'linked' || outcome === 'created')
    return { me: parseRecord<Fields>(response), outcome, emailConflict: headers.get('email-conflict') === 'true' };
  throw unexpectedAnswer({ status: 200, headers }, body, 'The answer has no outcome. A proxy may have removed it.');
}

function parseRecord<Fields extends OwnFields>(response: HttpResponse): MyRecord<Fields> {
  const record = parseUser<MyRecord<Fields>>(response);
  const { body, headers, version } = response;
  if (version !== undefined) return { ...record, version };
  throw unexpectedAnswer({ status: 200, headers }, body, 'The answer has no ETag. A proxy may have removed it.');
}

/** `fields` must not contain hidden fields. */
export const meChangedDocument = (fields: readonly string[]): string =>
  `subscription MeChanged($after: ID) { meChanged(after: $after) { cursor kind at me { ${['id name email version', ...fields].join(' ')} } } }`;
