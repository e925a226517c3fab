import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * lib/ reads clock, randomness and environment variables only here, so that tests can replace them. The AWS SDK itself
 * reads endpoint, region and credentials.
 */
export const environment = {
  /** Unix time in ms. */
  now: (): number => Date.now(),
  /** Monotonic, in ms. */
  elapsed: (): number => performance.now(),
  timeout: (ms: number): AbortSignal => AbortSignal.timeout(ms),
  pause: (ms: number): Promise<void> => sleep(ms),
  random: (): number => Math.random(),
  randomBytes: (size: number): Buffer => randomBytes(size),
  randomUUID: (): string => randomUUID(),
  readOwnFields(): Record<string, unknown> {
    const { FIELDS_FILE, LAMBDA_TASK_ROOT = '' } = process.env;
    return FIELDS_FILE ? JSON.parse(readFileSync(join(LAMBDA_TASK_ROOT, FIELDS_FILE), 'utf8')) : {};
  },

  get sortsByName(): boolean {
    return process.env.SORT_BY_NAME !== 'off';
  },
  get searchesDomains(): boolean {
    return process.env.DOMAIN_SEARCH !== 'off';
  },
  /** Name of the Lambda function, which Lambda itself sets. */
  get functionName(): string | undefined {
    return process.env.AWS_LAMBDA_FUNCTION_NAME;
  },
  get tableName(): string {
    return process.env.TABLE_NAME ?? 'users';
  },
  /**
   * Time limit of a request: half of a function's timeout, so that callers get a 503 of the service instead of the
   * gateway's timeout.
   */
  get requestTimeLimitMs(): number {
    return readNumber('REQUEST_TIME_LIMIT_MS', 5_000);
  },
  get attemptTimeLimitMs(): number {
    return readNumber('ATTEMPT_TIME_LIMIT_MS', 1_500);
  },
  /**
   * Time limit of a stream batch. Well below the timeout of `on-change` (infra/construct), so that the response can
   * name the failed record.
   */
  get batchTimeLimitMs(): number {
    return readNumber('BATCH_TIME_LIMIT_MS', 40_000);
  },
  /** Maximum life of a stream. Needed because Lambda does not notice that a client has disconnected. */
  get maxStreamSeconds(): number {
    return readNumber('STREAM_SECONDS', 90);
  },
  get maxStreams(): number {
    return readNumber('MAX_STREAMS', 100);
  },
  get maxStreamsPerCaller(): number {
    return readNumber('MAX_STREAMS_PER_CALLER', Math.ceil(environment.maxStreams / 2));
  },
  /** Pause between two polls of the change log for streams. */
  get pollIntervalMs(): number {
    return readNumber('POLL_INTERVAL_MS', 1_000);
  },
  get keepsChangeLog(): boolean {
    return process.env.CHANGE_LOG !== 'off';
  },
  get historyDays(): number {
    return readNumber('HISTORY_DAYS', 1);
  },
  /** Days to keep backups. 0 means no backups. */
  get backupDays(): number {
    return readNumber('BACKUP_DAYS', 0);
  },
  /** Sends the header Server-Timing. Off by default, because the header shows every caller the consumed capacity. */
  get sendsServerTiming(): boolean {
    return process.env.SERVER_TIMING === 'on';
  },
  get eventBusName(): string {
    return process.env.EVENT_BUS_NAME ?? 'default';
  },
  /** Queue for the keys of stream records that a consumer drops after its retries. Undefined if it never drops any. */
  get deadLetterQueueUrl(): string | undefined {
    return process.env.DEAD_LETTER_QUEUE_URL;
  },
  get eventSource(): string {
    return process.env.EVENT_SOURCE ?? 'user-management/local';
  },
  get webhookUrl(): string {
    return process.env.WEBHOOK_URL ?? '';
  },
  get webhookSecretArn(): string {
    return process.env.WEBHOOK_SECRET_ARN ?? '';
  },
  get webhookQueueUrl(): string {
    return process.env.WEBHOOK_QUEUE_URL ?? '';
  },
  get metricsNamespace(): string | undefined {
    return process.env.METRICS_NAMESPACE;
  },
  /** Secret that CloudFront also sends. A request with this key comes from CloudFront. */
  get proxyKey(): string | undefined {
    return process.env.PROXY_KEY;
  },
  /** How AWS must have verified each request. Undefined if the function verifies tokens, or for an open service. */
  get requiredAuthorizer(): 'iam' | 'jwt' | undefined {
    return readRequiredAuthorizer(process.env.REQUIRED_AUTHORIZER);
  },
  get authIssuer(): string | undefined {
    return process.env.AUTH_ISSUER;
  },
  /** One or more audiences, separated by commas. */
  get authAudience(): string | undefined {
    return process.env.AUTH_AUDIENCE;
  },
  /** Scope names are configurable, because issuers restrict them differently. */
  get scopes() {
    const { env } = process;
    const read = env.AUTH_READ_SCOPE ?? 'users:read';
    return {
      read,
      list: env.AUTH_LIST_SCOPE ?? read,
      history: env.AUTH_HISTORY_SCOPE ?? 'users:history',
      write: env.AUTH_WRITE_SCOPE ?? 'users:write',
      erase: env.AUTH_ERASE_SCOPE ?? 'users:erase',
      self: env.AUTH_SELF_SCOPE ?? 'users:self',
      group: env.GROUP_SCOPE ?? 'users:group',
    };
  },
  get personClaims(): { subject: string; email: string; emailVerified: string } {
    const { env } = process;
    return {
      subject: env.SUBJECT_CLAIM ?? 'sub',
      email: env.EMAIL_CLAIM ?? 'email',
      emailVerified: env.EMAIL_VERIFIED_CLAIM ?? 'email_verified',
    };
  },
  get peopleClientId(): string | undefined {
    return process.env.PEOPLE_CLIENT_ID;
  },
  /** True if people may follow their own records, which is cheap only if one process serves many streams. */
  get followsOwnRecords(): boolean {
    return process.env.FOLLOW_OWN_RECORDS === 'on';
  },
  get selfDelete(): 'off' | 'delete' | 'erase' {
    const { SELF_DELETE: value } = process.env;
    return value === 'delete' || value === 'erase' ? value : 'off';
  },
  /** Which records without a subject a sign-in gives to the person. */
  get selfLink(): 'off' | 'verified-email' {
    return process.env.SELF_LINK === 'verified-email' ? 'verified-email' : 'off';
  },
  /** A sign-in updates the record's address to the verified address of the token. */
  get emailFollows(): boolean {
    return process.env.EMAIL_FOLLOWS === 'on';
  },
  /** Claim with the external id of the group that the person administers. Undefined if groups have no administrators. */
  get groupClaim(): string | undefined {
    return process.env.GROUP_CLAIM || undefined;
  },
  get groupAdminRoles(): readonly string[] {
    return (process.env.GROUP_ADMIN_ROLES || 'admin').split(',');
  },
  /** `claim` lists a person's groups. `read` and `write` are required groups. */
  get groups(): { claim: string; read: string | undefined; write: string | undefined } {
    const { AUTH_GROUPS_CLAIM: claim = 'groups', AUTH_READ_GROUP: read, AUTH_WRITE_GROUP: write } = process.env;
    return { claim, read, write };
  },
  /** Origins that may call GraphQL. Unused by a Function URL, which handles CORS itself. `*` allows all. */
  get corsOrigins(): string[] {
    return process.env.CORS_ORIGINS?.split(',') ?? [];
  },
  /** Address of a Lambda Web Function. */
  get httpEndpoint(): { host: string; port: number } {
    const [, host = '127.0.0.1', port = '0'] = /^(.+):(\d+)$/.exec(process.env.AWS_LAMBDA_HTTP_ENDPOINT ?? '') ?? [];
    return { host, port: Number(port) };
  },
  /** True in Lambda, while modules load, before the first event. */
  get isLambdaInit(): boolean {
    return Boolean(process.env.AWS_LAMBDA_INITIALIZATION_TYPE);
  },
};

export const timestamp = (): string => new Date(environment.now()).toISOString();

/** An unknown value must not open the service. */
function readRequiredAuthorizer(value: string | undefined): 'iam' | 'jwt' | undefined {
  if (value === undefined || value === 'iam' || value === 'jwt') return value;
  throw new Error(`REQUIRED_AUTHORIZER must be iam or jwt, not ${value}`);
}

const readNumber = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);
