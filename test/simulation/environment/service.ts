import { Writable } from 'node:stream';
import type {
  APIGatewayProxyEventV2,
  APIGatewayProxyStructuredResultV2,
  Context,
  DynamoDBBatchResponse,
  DynamoDBStreamEvent,
} from 'aws-lambda';
import type { RowResult } from '../../../infra/transfer/import-rows.ts';
import type { Publisher } from '../../../lib/features/events/publish.ts';
import type { Reaction } from '../../../lib/on-change/batch.ts';
import { type Patch, patchSources } from '../mutants/patches.ts';
import { installFakeHttpHandler } from '../network/network.ts';
import { SMALL_SIZES } from '../options.ts';
import type { RestFunction } from '../workload/apis.ts';
import type { Kept } from '../workload/calls.ts';
import type { Role } from '../workload/memberships.ts';
import { DECLARATIONS, type Release } from '../workload/own-fields.ts';
import { virtualEnvironment, virtualiseGlobals } from './globals.ts';
import { type Deployment, importFrom } from './releases.ts';
import { currentInvocation, Server } from './world.ts';

type Result = APIGatewayProxyStructuredResultV2;
type ApiHandler = (event: APIGatewayProxyEventV2) => Promise<Result>;

/** Functions of all releases. */
type ReleaseHandlers = Record<RestFunction, ApiHandler> & {
  'on-change'(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse>;
  /** Returns each job's repairs. `timeout` in ms. */
  'index-pages'(timeout: number): Promise<Record<string, { repairs?: object[] }>>;
};

/** A user of an import file. All other members are own fields. */
export type ImportedUser = { name: string; email: string };

/** A change by an administrator of a group, as by the mutations of `myGroup`. */
export type Administration = {
  groupId: string;
  administrator: string;
  change:
    | { kind: 'add'; name: string; email: string; role: Role }
    | { kind: 'update'; id: string; role: Role }
    | { kind: 'remove'; id: string };
};

export type Handlers = Record<Release, ReleaseHandlers> & {
  graphql: ApiHandler;
  subscribe(event: APIGatewayProxyEventV2, stream: Writable): Promise<void>;
  'publish-events'(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse>;
  /** The next two are not Lambda functions: a check of the page index, and `check-table --repair`. */
  findIndexViolations(): Promise<string[]>;
  repairTable(): Promise<object>;
  /** Runs `npm run import -- --keep-ids --keep-times`. Undefined if the database is busy. */
  importUser(user: ImportedUser, kept: Kept & { id: string }): Promise<RowResult['result'] | undefined>;
  /** Runs a mutation of `myGroup` after its token is checked. Returns the code of a failure. */
  administrate(administration: Administration): Promise<string | undefined>;
};

/** Call `reset` before each history, to discard the state of Lambda environments. `requestTimeout` in ms. */
export type Service = { handlers: Handlers; requestTimeout: number; reset(): void };

export const [TABLE, RESTORED_TABLE] = ['users', 'users-restored'];

const UNREAD = ['loggerMiddleware', 'getUserAgentMiddleware', 'hostHeaderMiddleware', 'recursionDetectionMiddleware'];

/** Loads the service. Call this once, before anything else. */
export async function startService(patches: Patch[] = []): Promise<Service> {
  Object.assign(process.env, {
    AWS_REGION: 'local',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1',
    AWS_ENDPOINT_URL_EVENTBRIDGE: 'http://127.0.0.1:1',
    TABLE_NAME: TABLE,
    BATCH_TIME_LIMIT_MS: '2000',
  });
  delete process.env.AWS_LAMBDA_INITIALIZATION_TYPE;
  patchSources(patches);
  virtualiseGlobals();
  installFakeHttpHandler();
  const resets = [
    await prepareDeployment('current'),
    await prepareDeployment('previous'),
    await prepareDeployment('reordered'),
  ];
  const { environment } = await import('../../../lib/environment.ts');
  const { live } = await import('../../../lib/features/change-log/subscribe.ts');
  const { LiveReader } = await import('../../../lib/features/change-log/live-reader.ts');
  let readers = new WeakMap<Server, InstanceType<typeof LiveReader>>();
  Object.defineProperty(live, 'reader', {
    get() {
      const { server = new Server(false) } = currentInvocation() ?? {};
      const reader = readers.get(server) ?? new LiveReader();
      readers.set(server, reader);
      return reader;
    },
  });
  provideAwslambda();
  const current = await loadFunctions('current');
  const previous = await loadRelease('previous');
  const reordered = await loadRelease('reordered');
  // Set the variable first, because the restored deployment's modules read TABLE_NAME on import.
  process.env.TABLE_NAME = RESTORED_TABLE;
  resets.push(await prepareDeployment('restored'));
  const restored = await loadFunctions('restored');
  process.env.TABLE_NAME = TABLE;
  const { findViolations } = await import('../../lib/features/page-index/invariant.ts');
  const { checkTable } = await import('../../../infra/scripts/table-consistency.ts');
  const repairTable = () => checkTable({ repair: 'counts' });
  const importUser = await loadImport();
  const administrate = await loadMyGroup();
  return {
    handlers: {
      ...chooseByTable(current, restored),
      previous: previous.handlers,
      reordered: reordered.handlers,
      findIndexViolations: findViolations,
      repairTable,
      importUser,
      administrate,
    },
    requestTimeout: environment.attemptTimeLimitMs,
    reset() {
      for (const reset of [...resets, current.reset, previous.reset, reordered.reset, restored.reset]) reset();
      readers = new WeakMap();
    },
  };
}

async function loadImport(): Promise<Handlers['importUser']> {
  const { openTableTarget } = await import('../../../infra/scripts/transfer/table-target.ts');
  return async (user, kept) => {
    const options = {
      keepIds: true,
      keepTimes: true,
      update: false,
      despiteErasure: false,
      startedAt: '',
      importId: '',
    };
    const target = await openTableTarget(options);
    try {
      const [result] = await target.write([{ line: 1, size: 0, user, kept, posts: [] }]);
      return result?.result;
    } catch (error) {
      if (target.isBusy(error)) return undefined;
      throw error;
    }
  };
}

async function loadMyGroup(): Promise<Handlers['administrate']> {
  const { refreshAdministrator } = await import('../../../lib/features/my-group/administrator.ts');
  const { addMember, removeMember, updateMember } = await import('../../../lib/features/my-group/write.ts');
  const { findStoredGroup } = await import('../../../lib/features/groups/read.ts');
  const { getStoredUser } = await import('../../../lib/users/read.ts');
  const { toServiceError } = await import('../../../lib/errors.ts');
  return async ({ groupId, administrator: id, change }) => {
    try {
      const [stored, user] = [await findStoredGroup(groupId), await getStoredUser({ id })];
      if (!stored) return 'NOT_FOUND';
      const { group } = stored;
      const administrator = { group, stored: await refreshAdministrator({ group, stored: user }) };
      const { kind, ...input } = change;
      if (kind === 'add') await addMember(administrator, input as Parameters<typeof addMember>[1]);
      else if (kind === 'update') await updateMember(administrator, input as Parameters<typeof updateMember>[1]);
      else await removeMember(administrator, input as Parameters<typeof removeMember>[1]);
      return undefined;
    } catch (error) {
      const code = toServiceError(error)?.code;
      if (code === undefined) throw error;
      return code;
    }
  };
}

type Functions = Omit<
  Handlers,
  'previous' | 'reordered' | 'findIndexViolations' | 'repairTable' | 'importUser' | 'administrate'
>;

function chooseByTable(current: Functions, restored: Functions): Functions {
  const choose = () => (currentInvocation()?.world.restoredAt === undefined ? current : restored);
  const release = Object.keys(current.current).map((name) => {
    const handler = (input: never) => choose().current[name as keyof ReleaseHandlers](input);
    return [name, handler];
  });
  return {
    current: Object.fromEntries(release),
    graphql: (event) => choose().graphql(event),
    subscribe: (event, stream) => choose().subscribe(event, stream),
    'publish-events': (event) => choose()['publish-events'](event),
  };
}

/** Returns a function that resets the retry budgets. */
async function prepareDeployment(deployment: Deployment): Promise<() => void> {
  const load = (path: string) => importFrom(deployment, path);
  const release = deployment === 'restored' ? 'current' : deployment;
  const { environment }: typeof import('../../../lib/environment.ts') = await load('lib/environment.ts');
  Object.assign(environment, virtualEnvironment, { readOwnFields: () => DECLARATIONS[release] });
  const { sizes }: typeof import('../../../lib/sizes.ts') = await load('lib/sizes.ts');
  Object.assign(sizes, SMALL_SIZES);
  const { table }: typeof import('../../../lib/dynamodb/client.ts') = await load('lib/dynamodb/client.ts');
  const { eventBridge }: typeof import('../../../lib/features/events/event-bus.ts') = await load(
    'lib/features/events/event-bus.ts',
  );
  const resets = [await prepareClient(table), await prepareClient(eventBridge)];
  return () => {
    for (const reset of resets) reset();
  };
}

type SdkClient = {
  middlewareStack: { remove(name: string): boolean };
  config: { signer?: unknown; retryStrategy: () => Promise<object> };
};

/** Gives each Lambda environment its own retry budget. */
async function prepareClient(client: object): Promise<() => void> {
  const { middlewareStack, config } = client as SdkClient;
  // Removes headers, logs and signatures: nothing reads them, and they take a third of the time.
  for (const name of UNREAD) middlewareStack.remove(name);
  config.signer = async () => ({ sign: async (request: never) => request });
  const original = await config.retryStrategy();
  let strategies: Record<string, typeof original> = {};
  config.retryStrategy = async () => {
    const { environment = '' } = currentInvocation() ?? {};
    const strategy = strategies[environment] ?? Object.assign(Object.create(Object.getPrototypeOf(original)), original);
    strategies[environment] = strategy;
    return strategy;
  };
  return () => {
    strategies = {};
  };
}

class ResponseStream extends Writable {
  metadata = { statusCode: 200 };
  body = '';

  constructor() {
    super({ decodeStrings: false });
  }

  override _write(chunk: string | Buffer, _: BufferEncoding, done: () => void) {
    this.body += chunk;
    done();
  }
}

function provideAwslambda(): void {
  const streamifyResponse = <Handler>(handler: Handler) => handler;
  const from = (stream: Writable, metadata: object) => Object.assign(stream, { metadata });
  Object.assign(globalThis, { awslambda: { streamifyResponse, HttpResponseStream: { from } } });
}

const createContext = (timeout = 10_000): Context => {
  const { id = '', world } = currentInvocation() ?? {};
  const start = world?.clock.now ?? 0;
  const getRemainingTimeInMillis = () => timeout - ((world?.clock.now ?? 0) - start);
  // The cast is safe, because handlers use only these members.
  return { awsRequestId: id, getRemainingTimeInMillis } as Context;
};

/** Loads a function, and so runs its INIT code. */
const loadFunction = async (deployment: Deployment, name: string) =>
  (await importFrom(deployment, `functions/${name}.ts`)).handler;

async function loadRest(deployment: Deployment): Promise<Record<RestFunction, ApiHandler>> {
  const api = async (name: RestFunction): Promise<ApiHandler> => {
    const handler = await loadFunction(deployment, name);
    return (event) => handler(event, createContext());
  };
  return {
    'create-user': await api('create-user'),
    'get-user': await api('get-user'),
    'list-users': await api('list-users'),
    'replace-user': await api('replace-user'),
    'update-user': await api('update-user'),
    'delete-user': await api('delete-user'),
  };
}

/** `reset` discards the state of Lambda environments. */
async function loadRelease(deployment: Deployment): Promise<{ handlers: ReleaseHandlers; reset(): void }> {
  const load = (path: string) => importFrom(deployment, path);
  const { createReactions }: typeof import('../../../lib/on-change/reactions.ts') =
    await load('lib/on-change/reactions.ts');
  const { handleStreamBatch }: typeof import('../../../lib/on-change/stream-batch.ts') = await load(
    'lib/on-change/stream-batch.ts',
  );
  const { forgetEpochs }: typeof import('../../../lib/features/change-log/epochs.ts') = await load(
    'lib/features/change-log/epochs.ts',
  );
  const indexPages = await loadFunction(deployment, 'index-pages');
  const reactions = new Map<string, Reaction[]>();
  const handlers: ReleaseHandlers = {
    ...(await loadRest(deployment)),
    'on-change': (event) => {
      const { environment = '' } = currentInvocation() ?? {};
      const own = reactions.get(environment) ?? createReactions();
      reactions.set(environment, own);
      return handleStreamBatch(event, own);
    },
    'index-pages': (timeout) => indexPages({}, createContext(timeout)),
  };
  const reset = () => {
    reactions.clear();
    forgetEpochs();
  };
  return { handlers, reset };
}

async function loadFunctions(deployment: Deployment): Promise<Functions & { reset(): void }> {
  const load = (path: string) => importFrom(deployment, path);
  const release = await loadRelease(deployment);
  const graphql = await loadFunction(deployment, 'graphql');
  const { publishBatch }: typeof import('../../../lib/features/events/publish.ts') = await load(
    'lib/features/events/publish.ts',
  );
  const { putEvents }: typeof import('../../../lib/features/events/event-bus.ts') = await load(
    'lib/features/events/event-bus.ts',
  );
  const publishers = new Map<string, Publisher>();
  return {
    current: release.handlers,
    graphql: async (event) => {
      const response = new ResponseStream();
      await graphql(event, response, createContext());
      return { statusCode: response.metadata.statusCode, body: response.body };
    },
    subscribe: (event, stream) => graphql(event, stream, createContext(120_000)),
    'publish-events': (event) => {
      const { environment = '' } = currentInvocation() ?? {};
      const publisher = publishers.get(environment) ?? { send: putEvents, accepted: new Set() };
      publishers.set(environment, publisher);
      return publishBatch(event, publisher);
    },
    reset() {
      publishers.clear();
      release.reset();
    },
  };
}
