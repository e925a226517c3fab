export type Issue = { path: (string | number)[]; message: string };

/** The last four codes are set by this client, not by the service. */
export type ErrorCode =
  | 'BAD_USER_INPUT'
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'EMAIL_TAKEN'
  | 'VALUE_TAKEN'
  | 'NO_PERSON'
  | 'EMAIL_NOT_VERIFIED'
  | 'SIGN_IN_TOO_OLD'
  | 'SUBJECT_TAKEN'
  | 'SUBJECT_FIXED'
  | 'SUBJECT_DELETED'
  | 'TOO_MANY_GROUPS'
  | 'TOO_MANY_LOGINS'
  | 'BLOCKED'
  | 'CONCURRENT_CHANGES'
  | 'USER_EXISTS'
  | 'USER_BLOCKED'
  | 'GROUP_NOT_EMPTY'
  | 'ALREADY_MEMBER'
  | 'NO_GROUP'
  | 'NO_GROUP_ADMIN'
  | 'LAST_ADMIN'
  | 'PRECONDITION_FAILED'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'TOO_MANY_REQUESTS'
  | 'SERVICE_UNAVAILABLE'
  | 'INTERNAL_SERVER_ERROR'
  | 'INVALID_REQUEST'
  | 'UNREACHABLE'
  | 'TIMEOUT'
  | 'UNEXPECTED_ANSWER'
  | (string & {});

type Details = {
  code: ErrorCode;
  issues?: Issue[] | undefined;
  version?: number | undefined;
  retryAfterMs?: number | undefined;
  requestId?: string | undefined;
  body?: unknown;
  cause?: unknown;
};

/** The client's only error class, except for the reason of an aborted signal. `status` is 0 without a response. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly status: number;
  readonly code: ErrorCode;
  /** The problems of the input, or the field with a taken value. */
  readonly issues: readonly Issue[];
  /** The user's current version, if the request expected another one. */
  readonly version: number | undefined;
  /** Pause that the service requested. */
  readonly retryAfterMs: number | undefined;
  /** Identifies the request in the service's logs. */
  readonly requestId: string | undefined;
  /** The whole response. GraphQL may have returned more errors. */
  readonly body: unknown;

  constructor(
    status: number,
    message: string,
    { code, issues = [], version, retryAfterMs, requestId, body, cause }: Details,
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.status = status;
    this.code = code;
    this.issues = issues;
    this.version = version;
    this.retryAfterMs = retryAfterMs;
    this.requestId = requestId;
    this.body = body;
  }
}

const hasCode = (error: unknown, ...codes: ErrorCode[]): error is ClientError =>
  error instanceof ClientError && codes.includes(error.code);

export const isEmailTaken = (error: unknown): error is ClientError => hasCode(error, 'EMAIL_TAKEN');
/** Another user has the value. `issues` names the field. */
export const isTaken = (error: unknown): error is ClientError =>
  hasCode(error, 'EMAIL_TAKEN', 'VALUE_TAKEN', 'SUBJECT_TAKEN');
/** A restore failed because the user exists. */
export const isExisting = (error: unknown): error is ClientError => hasCode(error, 'USER_EXISTS');
/** The user has changed since it was read. */
export const isChanged = (error: unknown): error is ClientError => hasCode(error, 'PRECONDITION_FAILED');
export const isNotFound = (error: unknown): error is ClientError => hasCode(error, 'NOT_FOUND');
export const isInvalid = (error: unknown): error is ClientError => hasCode(error, 'BAD_USER_INPUT');

const retried = new WeakSet<ClientError>();

export function markRetried(error: ClientError): ClientError {
  retried.add(error);
  return error;
}

/** True if an earlier attempt of the failed request may have taken effect. */
export const wasRetried = (error: unknown): boolean => error instanceof ClientError && retried.has(error);

const GATEWAY_CODES: Record<number, ErrorCode> = {
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  429: 'TOO_MANY_REQUESTS',
  503: 'SERVICE_UNAVAILABLE',
};

const STATUSES: Record<string, number> = {
  BAD_USER_INPUT: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  PRECONDITION_FAILED: 412,
  TOO_MANY_REQUESTS: 429,
  SERVICE_UNAVAILABLE: 503,
};

type Body = {
  message?: string;
  detail?: string;
  code?: string;
  issues?: Issue[];
  errors?: { message: string; extensions?: GraphqlExtensions }[];
};
type GraphqlExtensions = {
  code?: string;
  reason?: string;
  issues?: Issue[];
  version?: number;
  retryAfterSeconds?: number;
};

const isObject = (value: unknown): value is Body => typeof value === 'object' && value !== null;

export function createError(response: Response, body: unknown): ClientError {
  const { status, headers } = response;
  const answer = { body, retryAfterMs: parseRetryAfter(headers), requestId: findRequestId(headers) };
  const graphqlError = findGraphqlError(body);
  if (graphqlError) return toClientError(graphqlError, status, answer);
  const { detail, message, code = GATEWAY_CODES[status], issues } = isObject(body) ? body : {};
  // The service sends a code with each 404.
  if (status === 404 && code !== 'NOT_FOUND') return unexpectedAnswer(response, body);
  const text = detail ?? describeScope(response) ?? message ?? `The service answered ${status}`;
  const version = parseVersion(headers);
  return new ClientError(status, text, { code: code ?? 'UNEXPECTED_ANSWER', issues, version, ...answer });
}

/** API Gateway names the missing scope only in this header (RFC 6750 section 3). Function URLs rename the header. */
function describeScope({ status, headers }: Response): string | undefined {
  const challenge = headers.get('www-authenticate') ?? headers.get('x-amzn-remapped-www-authenticate') ?? '';
  const scope = /\bscope="([^"]+)"/.exec(challenge)?.[1];
  return status === 403 && scope ? `This requires the scope ${scope}` : undefined;
}

export function findGraphqlError(body: unknown) {
  return isObject(body) && Array.isArray(body.errors) ? body.errors[0] : undefined;
}

export function toClientError(
  { message, extensions = {} }: GraphqlError,
  status = 200,
  answer: Pick<Details, 'retryAfterMs' | 'requestId' | 'body'> = {},
): ClientError {
  const { code = 'UNEXPECTED_ANSWER', reason, issues, version, retryAfterSeconds } = extensions;
  const mapped = status < 400 ? (STATUSES[code] ?? 500) : status;
  const retryAfterMs = retryAfterSeconds === undefined ? answer.retryAfterMs : retryAfterSeconds * 1000;
  return new ClientError(mapped, message, { ...answer, code: reason ?? code, issues, version, retryAfterMs });
}

type GraphqlError = NonNullable<ReturnType<typeof findGraphqlError>>;

const NOT_FROM_SERVICE =
  'The answer is not from the service. Check the URL. A proxy or a login page may have sent the answer.';

export const unexpectedAnswer = (
  { status, headers }: { status: number; headers: Headers },
  body: unknown,
  message = NOT_FROM_SERVICE,
) =>
  new ClientError(status, message, {
    code: 'UNEXPECTED_ANSWER',
    requestId: findRequestId(headers),
    body,
  });

/** API Gateway sends `apigw-requestid`, Function URLs send `x-amzn-requestid`. */
export const findRequestId = (headers: Headers): string | undefined =>
  headers.get('apigw-requestid') ?? headers.get('x-amzn-requestid') ?? undefined;

export function parseVersion(headers: Headers): number | undefined {
  const version = /^(?:W\/)?"(?:[0-9a-f-]{36}\.)?(\d+)(?:-[\w-]+)?"$/.exec(headers.get('etag') ?? '')?.[1];
  return version === undefined ? undefined : Number(version);
}

/** Returns ms (RFC 9110 section 10.2.3). Compares a date with the service's clock, not the client's. */
export function parseRetryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after') ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const time = parseDate(value);
  return time === undefined ? undefined : Math.max(0, time - readServiceTime(headers));
}

/** Returns ms. The client's clock may be wrong, so it is used only if a proxy drops `Date`. */
export const readServiceTime = (headers: Headers): number => parseDate(headers.get('date') ?? '') ?? Date.now();

/** RFC 9110 section 5.6.7. The asctime form has no time zone. */
function parseDate(value: string): number | undefined {
  const time = /\d\d:\d\d:\d\d/.test(value) ? Date.parse(value.replace(/( GMT)?$/, ' GMT')) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/**
 * Throws BAD_USER_INPUT for options that a function does not have, which callers without types may pass: a list that
 * ignores a filter would return all users.
 */
export function rejectOptions(others: object): void {
  const names = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (names.length === 0) return;
  const issues = names.map((name) => ({ path: [name], message: 'is not an option of this call' }));
  const message = issues.map(({ path, message }) => `${path} ${message}`).join('; ');
  throw new ClientError(400, message, { code: 'BAD_USER_INPUT', issues });
}
