/** What can go deliberately wrong. Each door maps a kind once: to a status in REST, to a code in GraphQL. */
export type ErrorKind = 'invalid' | 'not-found' | 'taken' | 'stale' | 'key-reused' | 'unavailable';

export type Issue = { path: PropertyKey[]; message: string };

/** A failure that is the caller's to see. Whatever else is thrown is a fault of ours, and masked. */
export class ServiceError extends Error {
  readonly kind: ErrorKind;
  readonly issues: Issue[] | undefined;

  constructor(kind: ErrorKind, message: string, issues?: Issue[]) {
    super(message);
    this.name = 'ServiceError';
    this.kind = kind;
    this.issues = issues;
  }
}

export const notFound = (what: 'User' | 'Post') => new ServiceError('not-found', `${what} not found`);
export const emailTaken = () => new ServiceError('taken', 'Another user has this email');
export const stale = () => new ServiceError('stale', 'The user has changed since the version you name');
export const invalid = (path: PropertyKey[], message: string) =>
  new ServiceError('invalid', message, [{ path, message }]);
export const unavailable = () => new ServiceError('unavailable', 'The service is busy; please try again');

const THROTTLED =
  /Throttl|ProvisionedThroughputExceeded|RequestLimitExceeded|TransactionInProgress|ReplicatedWriteConflict/;
const UNREACHABLE = /ECONN|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|TimeoutError|socket hang up/;

/** The error to show for anything thrown; undefined where it is a fault that the caller may not see. */
export function asServiceError(error: unknown): ServiceError | undefined {
  if (error instanceof ServiceError) return error;
  return isDatabaseBusy(error) ? unavailable() : undefined;
}

/** The AWS SDK's errors after its own retries: throttled, failing (5xx) or out of reach. */
function isDatabaseBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, $metadata } = error as { code?: string; $metadata?: { httpStatusCode?: number } };
  if (THROTTLED.test(error.name) || ($metadata?.httpStatusCode ?? 0) >= 500) return true;
  return $metadata !== undefined && UNREACHABLE.test(`${code} ${error.name} ${error.message}`);
}
