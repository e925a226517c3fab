import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The service takes these from where it runs. No other file of lib/ reads clock, chance or variables, so a test gives
 * others here: functions by assigning them, variables in `process.env`. Endpoint, region and credentials of the database
 * are variables that the AWS SDK reads itself; timers are those of Node.js.
 */
export const environment = {
  /** Returns the time in ms since 1970. */
  now: (): number => Date.now(),
  /** Returns a time in ms that no correction of the clock changes, to measure durations. */
  elapsed: (): number => performance.now(),
  /** Aborts after so many ms. */
  timeout: (ms: number): AbortSignal => AbortSignal.timeout(ms),
  /** Returns a number from 0 up to 1. */
  random: (): number => Math.random(),
  randomBytes: (size: number): Buffer => randomBytes(size),
  randomUUID: (): string => randomUUID(),
  /** The declarations of a team's own fields by name, which the deployment puts beside the code; none without FIELDS_FILE. */
  readOwnFields(): Record<string, unknown> {
    const { FIELDS_FILE, LAMBDA_TASK_ROOT = '' } = process.env;
    return FIELDS_FILE ? JSON.parse(readFileSync(join(LAMBDA_TASK_ROOT, FIELDS_FILE), 'utf8')) : {};
  },

  /** A setting turns sorting by name off. */
  get sortsByName(): boolean {
    return process.env.SORT_BY_NAME !== 'off';
  },
  /** A setting turns the search for domains of addresses off. */
  get searchesDomains(): boolean {
    return process.env.DOMAIN_SEARCH !== 'off';
  },
  get tableName(): string {
    return process.env.TABLE_NAME ?? 'users';
  },
  /** Half of a function's timeout, so that callers get a 503 from us and not a timeout from the gateway. */
  get requestTimeLimitMs(): number {
    return readNumber('REQUEST_TIME_LIMIT_MS', 5_000);
  },
  /** Each attempt of the AWS SDK takes at most this long. */
  get attemptTimeLimitMs(): number {
    return readNumber('ATTEMPT_TIME_LIMIT_MS', 1_500);
  },
  /** Ends well before the timeout of `on-change` (infra/construct), so that the response names the record that failed. */
  get batchTimeLimitMs(): number {
    return readNumber('BATCH_TIME_LIMIT_MS', 40_000);
  },
  /** A stream has a time limit, because Lambda is never told that a client has left. */
  get maxStreamSeconds(): number {
    return readNumber('STREAM_SECONDS', 90);
  },
  /** The open streams of all execution environments together. */
  get maxStreams(): number {
    return readNumber('MAX_STREAMS', 100);
  },
  get maxStreamsPerCaller(): number {
    return readNumber('MAX_STREAMS_PER_CALLER', Math.ceil(environment.maxStreams / 2));
  },
  /** The change log is off where nothing reads it. */
  get keepsChangeLog(): boolean {
    return process.env.CHANGE_LOG !== 'off';
  },
  /** The changes of a user are kept for so many days. */
  get historyDays(): number {
    return readNumber('HISTORY_DAYS', 1);
  },
  /** Days to keep daily backups of the table. 0 if there are no backups. */
  get backupDays(): number {
    return readNumber('BACKUP_DAYS', 0);
  },
  /** A setting, because it shows every caller what a response consumed. */
  get sendsServerTiming(): boolean {
    return process.env.SERVER_TIMING === 'on';
  },
  /** The bus of the stack that `publish-events` puts events on. */
  get eventBusName(): string {
    return process.env.EVENT_BUS_NAME ?? 'default';
  },
  /** Here a consumer of the table's stream names the records that it gives up; undefined if it gives up none. */
  get deadLetterQueueUrl(): string | undefined {
    return process.env.DEAD_LETTER_QUEUE_URL;
  },
  /** The `source` of events: it names the deployment. */
  get eventSource(): string {
    return process.env.EVENT_SOURCE ?? 'user-management/local';
  },
  /** The URL that `post-webhook` sends events to. */
  get webhookUrl(): string {
    return process.env.WEBHOOK_URL ?? '';
  },
  /** The secret of Secrets Manager that `post-webhook` signs with. */
  get webhookSecretArn(): string {
    return process.env.WEBHOOK_SECRET_ARN ?? '';
  },
  /** The queue whose messages invoke `post-webhook`. */
  get webhookQueueUrl(): string {
    return process.env.WEBHOOK_QUEUE_URL ?? '';
  },
  /** The namespace of the metrics; undefined if none are kept. */
  get metricsNamespace(): string | undefined {
    return process.env.METRICS_NAMESPACE;
  },
  /** Only CloudFront and this service know it; it is undefined if there is no CloudFront. */
  get proxyKey(): string | undefined {
    return process.env.PROXY_KEY;
  },
  /** What must have verified each request: IAM, or the JWT authorizer of API Gateway; undefined where the function itself does, or nothing. */
  get requiredAuthorizer(): 'iam' | 'jwt' | undefined {
    return readRequiredAuthorizer(process.env.REQUIRED_AUTHORIZER);
  },
  /** The issuer whose tokens GraphQL verifies; undefined if nothing verifies tokens, or the gateway does. */
  get authIssuer(): string | undefined {
    return process.env.AUTH_ISSUER;
  },
  /** One or several, separated by commas. */
  get authAudience(): string | undefined {
    return process.env.AUTH_AUDIENCE;
  },
  /** The scope that a token needs for each right. Issuers differ in the names they allow. */
  get scopes() {
    const { AUTH_READ_SCOPE: read = 'users:read', AUTH_WRITE_SCOPE: write = 'users:write', ...others } = process.env;
    const { AUTH_HISTORY_SCOPE: history = 'users:history', AUTH_ERASE_SCOPE: erase = 'users:erase' } = others;
    return {
      read,
      list: others.AUTH_LIST_SCOPE ?? read,
      history,
      write,
      erase,
      self: others.AUTH_SELF_SCOPE ?? 'users:self',
    };
  },
  /** The claims of a token that describe the person. */
  get personClaims(): { subject: string; email: string; emailVerified: string } {
    const { SUBJECT_CLAIM: subject = 'sub', EMAIL_CLAIM: email = 'email' } = process.env;
    return { subject, email, emailVerified: process.env.EMAIL_VERIFIED_CLAIM ?? 'email_verified' };
  },
  /** The client of the user pool with which people sign in to use their own records. */
  get peopleClientId(): string | undefined {
    return process.env.PEOPLE_CLIENT_ID;
  },
  /** Whether people can follow the changes of their own records: a stream of each is cheap where one process serves many. */
  get followsOwnRecords(): boolean {
    return process.env.FOLLOW_OWN_RECORDS === 'on';
  },
  /** What a person may do to remove their own record. */
  get selfDelete(): 'off' | 'delete' | 'erase' {
    const { SELF_DELETE: value } = process.env;
    return value === 'delete' || value === 'erase' ? value : 'off';
  },
  /** The groups that a person needs to read and to change users, if any, and the claim that lists the groups of a person. */
  get groups(): { claim: string; read: string | undefined; write: string | undefined } {
    const { AUTH_GROUPS_CLAIM: claim = 'groups', AUTH_READ_GROUP: read, AUTH_WRITE_GROUP: write } = process.env;
    return { claim, read, write };
  },
  /** Pages of these origins may use GraphQL where no Function URL answers for it; `*` stands for all. */
  get corsOrigins(): string[] {
    return process.env.CORS_ORIGINS?.split(',') ?? [];
  },
  /** A Lambda Web Function must listen there: `host:port`. */
  get httpEndpoint(): { host: string; port: number } {
    const [, host = '127.0.0.1', port = '0'] = /^(.+):(\d+)$/.exec(process.env.AWS_LAMBDA_HTTP_ENDPOINT ?? '') ?? [];
    return { host, port: Number(port) };
  },
  /** Tells whether Lambda initializes the function, before the first event. */
  get isLambdaInit(): boolean {
    return Boolean(process.env.AWS_LAMBDA_INITIALIZATION_TYPE);
  },
};

/** The time as stored and shown: ISO 8601 in UTC. */
export const timestamp = (): string => new Date(environment.now()).toISOString();

/** A value that this code does not know must not leave the service open. */
function readRequiredAuthorizer(value: string | undefined): 'iam' | 'jwt' | undefined {
  if (value === undefined || value === 'iam' || value === 'jwt') return value;
  throw new Error(`REQUIRED_AUTHORIZER is ${value}; it must be iam or jwt`);
}

const readNumber = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);
