/** Kind of an error. GraphQL returns the code, REST maps it to a status. */
export type ErrorCode =
  | 'BAD_USER_INPUT'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'CONFLICT'
  | 'PRECONDITION_FAILED'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'TOO_MANY_REQUESTS'
  | 'SERVICE_UNAVAILABLE';

/** A reason is more specific than the code, because only some conflicts are worth a retry. */
export type Reason =
  | Exclude<ErrorCode, 'CONFLICT'>
  | 'EMAIL_TAKEN'
  | 'VALUE_TAKEN'
  | 'CONCURRENT_CHANGES'
  | PersonReason
  | RestoreReason
  | MergeReason
  | GroupReason;

export type PersonReason =
  | 'NO_PERSON'
  | 'EMAIL_NOT_VERIFIED'
  | 'SIGN_IN_TOO_OLD'
  | 'SUBJECT_TAKEN'
  | 'SUBJECT_FIXED'
  | 'SUBJECT_DELETED'
  | 'TOO_MANY_LOGINS'
  | 'BLOCKED';

export type RestoreReason = 'USER_EXISTS';

export type MergeReason = 'USER_BLOCKED';

export type GroupReason =
  | 'GROUP_NOT_EMPTY'
  | 'ALREADY_MEMBER'
  | 'TOO_MANY_GROUPS'
  | 'NO_GROUP'
  | 'NO_GROUP_ADMIN'
  | 'LAST_ADMIN';

export type Issue = { path: PropertyKey[]; message: string };

/** Members that determine the ETag. */
type Current = { id: string; version: number; own: Readonly<Record<string, unknown>> };

type Details = {
  reason?: Reason;
  issues?: Issue[];
  current?: Current;
  retryAfterSeconds?: number;
  challenge?: string | undefined;
};

/** An error for callers. All other errors are internal and masked. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly reason: Reason;
  readonly issues: Issue[] | undefined;
  /** The user's state, if the request expected another version. */
  readonly current: Current | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly challenge: string | undefined;

  constructor(code: ErrorCode, message: string, details: Details = {}) {
    const { reason, issues, current, retryAfterSeconds, challenge } = details;
    super(message);
    this.name = 'ServiceError';
    this.code = code;
    this.reason = reason ?? (code === 'CONFLICT' ? 'CONCURRENT_CHANGES' : code);
    this.issues = issues;
    this.current = current;
    this.retryAfterSeconds = retryAfterSeconds;
    this.challenge = challenge;
  }
}

export const invalidInputs = (issues: Issue[]) =>
  new ServiceError('BAD_USER_INPUT', issues.map(formatIssue).join('; '), { issues });
export const invalidInput = (path: PropertyKey[], message: string) => invalidInputs([{ path, message }]);
/** `challenge`: value of WWW-Authenticate. */
export const forbidden = (message: string, challenge?: string) => new ServiceError('FORBIDDEN', message, { challenge });
export const notFound = (what: 'User' | 'Post' | 'Group' | 'Member') =>
  new ServiceError('NOT_FOUND', `${what} not found`);
export function valueTaken(field: string, subject?: string): ServiceError {
  const message = `Another user has this ${field}`;
  const reason = field === subject ? 'SUBJECT_TAKEN' : field === 'email' ? 'EMAIL_TAKEN' : 'VALUE_TAKEN';
  return new ServiceError('CONFLICT', message, { reason, issues: [{ path: [field], message }] });
}
export function subjectFixed(field: string): ServiceError {
  const message = `The user already has another ${field}, which cannot change`;
  return new ServiceError('CONFLICT', message, { reason: 'SUBJECT_FIXED', issues: [{ path: [field], message }] });
}
export const userExists = () => new ServiceError('CONFLICT', 'The user exists', { reason: 'USER_EXISTS' });
export const concurrentChanges = () =>
  new ServiceError('CONFLICT', 'Other requests are changing this record; please try again');
export const versionMismatch = (current: Current) =>
  new ServiceError('PRECONDITION_FAILED', 'The user has changed since the given version; read it again', { current });
export const groupVersionMismatch = ({ id, version }: Pick<Current, 'id' | 'version'>) =>
  new ServiceError('PRECONDITION_FAILED', 'The group has changed since the given version; read it again', {
    current: { id, version, own: {} },
  });
export function externalIdTaken(): ServiceError {
  const message = 'Another group has this externalId';
  return new ServiceError('CONFLICT', message, {
    reason: 'VALUE_TAKEN',
    issues: [{ path: ['externalId'], message }],
  });
}
export const groupNotEmpty = () =>
  new ServiceError('CONFLICT', 'The group has members; pass removeMembers to remove them', {
    reason: 'GROUP_NOT_EMPTY',
  });
export const tooManyDeletions = () =>
  new ServiceError('TOO_MANY_REQUESTS', 'Too many groups are being deleted; please try again in a minute', {
    retryAfterSeconds: 60,
  });
export const alreadyMember = () =>
  new ServiceError('CONFLICT', 'The user is a member with another role; use updateMember', {
    reason: 'ALREADY_MEMBER',
  });
export const versionExcluded = (current: Current) =>
  new ServiceError('PRECONDITION_FAILED', 'The user has a version that the request excludes', { current });
export const noUserHas = (field: string) => new ServiceError('PRECONDITION_FAILED', `No user has this ${field}`);
export const idempotencyKeyReused = () =>
  new ServiceError('IDEMPOTENCY_KEY_REUSED', 'This idempotency key was used with another body; use a new key');
export const unavailable = () => new ServiceError('SERVICE_UNAVAILABLE', 'The service is busy; please try again');
/** A job of the service ends the problem within minutes. */
export const incomplete = (what: string) =>
  new ServiceError('SERVICE_UNAVAILABLE', `${what} is being completed; please try again in a minute`, {
    retryAfterSeconds: 60,
  });

const formatIssue = ({ path, message }: Issue) => `${path.join('.') || 'input'}: ${message}`;

const THROTTLED =
  /Throttl|ProvisionedThroughputExceeded|RequestLimitExceeded|TransactionInProgress|ReplicatedWriteConflict/;
const UNREACHABLE = /ECONN|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|TimeoutError|socket hang up/;

export function toServiceError(error: unknown): ServiceError | undefined {
  if (error instanceof ServiceError) return error;
  return isDatabaseUnavailable(error) ? unavailable() : undefined;
}

/** True if the database is throttled or unreachable: retry later. */
export const isUnavailable = (error: unknown): boolean => toServiceError(error)?.code === 'SERVICE_UNAVAILABLE';

function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, $metadata } = error as { code?: string; $metadata?: { httpStatusCode?: number } };
  if (THROTTLED.test(error.name) || ($metadata?.httpStatusCode ?? 0) >= 500) return true;
  return $metadata !== undefined && UNREACHABLE.test(`${code} ${error.name} ${error.message}`);
}

/** Reason for ending a stream: its client reads too slowly. A reconnect resumes with the last cursor. */
export class SlowClient extends Error {}
