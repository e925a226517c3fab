/** An issue is one fault of the input. */
export type Issue = { path: (string | number)[]; message: string };

/** The codes of the service, of its gateway, and of what can happen between. */
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
  | 'CONCURRENT_CHANGES'
  | 'USER_EXISTS'
  | 'USER_ERASED'
  | 'PRECONDITION_FAILED'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'TOO_MANY_REQUESTS'
  | 'SERVICE_UNAVAILABLE'
  | 'INTERNAL_SERVER_ERROR'
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

/** Every error of a client, whichever API or gateway has answered. `status` is 0 if nothing has. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly status: number;
  readonly code: ErrorCode;
  /** They tell what is wrong with the input, and which field holds a value that another user has. */
  readonly issues: readonly Issue[];
  /** The user is at this version, which the request did not expect. */
  readonly version: number | undefined;
  /** The service asks to wait for so long before the next attempt. */
  readonly retryAfterMs: number | undefined;
  /** Names the request in the logs of the service. */
  readonly requestId: string | undefined;
  /** The whole answer, which of GraphQL may hold more errors. */
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

const hasCode =
  (...codes: ErrorCode[]) =>
  (error: unknown): error is ClientError =>
    error instanceof ClientError && codes.includes(error.code);

/** Another user has the email address. */
export const isEmailTaken = hasCode('EMAIL_TAKEN');
/** Another user has the email address, or the value of a unique field: `issues` names it. */
export const isTaken = hasCode('EMAIL_TAKEN', 'VALUE_TAKEN', 'SUBJECT_TAKEN');
/** A user who exists cannot be restored. */
export const isExisting = hasCode('USER_EXISTS');
/** A person who was erased cannot be restored. */
export const isErased = hasCode('USER_ERASED');
/** The user has changed since the version that was to be changed. */
export const isChanged = hasCode('PRECONDITION_FAILED');
export const isNotFound = hasCode('NOT_FOUND');
export const isInvalid = hasCode('BAD_USER_INPUT');

/** The statuses of API Gateway, whose bodies hold only a message. GraphQL has the codes in its errors. */
const GATEWAY_CODES: Record<number, ErrorCode> = {
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
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
  SERVICE_UNAVAILABLE: 503,
};

type Body = {
  message?: string;
  detail?: string;
  code?: string;
  issues?: Issue[];
  errors?: { message: string; extensions?: GraphqlExtensions }[];
};
type GraphqlExtensions = { code?: string; reason?: string; issues?: Issue[]; version?: number };

const isObject = (value: unknown): value is Body => typeof value === 'object' && value !== null;

/** Returns the error of a response that is not what was asked for: a problem of the service, a message of the gateway, or anything else. */
export function createError(response: Response, body: unknown): ClientError {
  const { status, headers } = response;
  const answer = { body, retryAfterMs: parseRetryAfter(headers), requestId: findRequestId(headers) };
  const graphqlError = findGraphqlError(body);
  if (graphqlError) return toClientError(graphqlError, status, answer);
  const { detail, message, code = GATEWAY_CODES[status], issues } = isObject(body) ? body : {};
  const text = detail ?? message ?? `The service answered ${status}`;
  const version = parseVersion(headers);
  return new ClientError(status, text, { code: code ?? 'UNEXPECTED_ANSWER', issues, version, ...answer });
}

/** Returns the first error of a GraphQL answer, if it has one. */
export function findGraphqlError(body: unknown) {
  return isObject(body) && Array.isArray(body.errors) ? body.errors[0] : undefined;
}

export function toClientError(
  { message, extensions: { code = 'UNEXPECTED_ANSWER', reason, issues, version } = {} }: GraphqlError,
  status = 200,
  answer: Pick<Details, 'retryAfterMs' | 'requestId' | 'body'> = {},
): ClientError {
  const mapped = status < 400 ? (STATUSES[code] ?? 500) : status;
  return new ClientError(mapped, message, { code: reason ?? code, issues, version, ...answer });
}

type GraphqlError = NonNullable<ReturnType<typeof findGraphqlError>>;

/** Something else has answered, such as a proxy or a login page. */
export const unexpectedAnswer = ({ status, headers }: { status: number; headers: Headers }, body: unknown) =>
  new ClientError(status, 'The answer is not the JSON of the service. It may come from a proxy or a login page.', {
    code: 'UNEXPECTED_ANSWER',
    requestId: findRequestId(headers),
    body,
  });

/** API Gateway sends the first of these headers, Function URLs the second. */
export const findRequestId = (headers: Headers): string | undefined =>
  headers.get('apigw-requestid') ?? headers.get('x-amzn-requestid') ?? undefined;

/** Returns the version of the user that ETag names. */
export function parseVersion(headers: Headers): number | undefined {
  const version = /^"(?:[0-9a-f-]{36}\.)?(\d+)(?:-[\w-]+)?"$/.exec(headers.get('etag') ?? '')?.[1];
  return version === undefined ? undefined : Number(version);
}

/** Returns undefined for what is neither seconds nor a date (RFC 9110 section 10.2.3). A date counts from the time of the service. */
export function parseRetryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after') ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const time = parseDate(value);
  return time === undefined ? undefined : Math.max(0, time - readServiceTime(headers));
}

/** Returns the time of the service in ms, as the clock of the client may be off: it only helps out where a proxy leaves Date out. */
export const readServiceTime = (headers: Headers): number => parseDate(headers.get('date') ?? '') ?? Date.now();

/** Parses the three forms of RFC 9110 section 5.6.7, of which the one of C names no time zone. */
function parseDate(value: string): number | undefined {
  const time = /\d\d:\d\d:\d\d/.test(value) ? Date.parse(value.replace(/( GMT)?$/, ' GMT')) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
