import { Writable } from 'node:stream';
import type {
  APIGatewayProxyEventV2,
  APIGatewayProxyStructuredResultV2,
  Context,
  DynamoDBBatchResponse,
  DynamoDBStreamEvent,
} from 'aws-lambda';
import { currentInvocation } from './environment/invocation.ts';
import type { RestFunction } from './workload/rest.ts';

type Result = APIGatewayProxyStructuredResultV2;
type ApiHandler = (event: APIGatewayProxyEventV2) => Promise<Result>;

/** The functions of the service, called as Lambda calls them. */
export type Handlers = Record<RestFunction | 'graphql', ApiHandler> & {
  subscribe(event: APIGatewayProxyEventV2, stream: Writable): Promise<void>;
  'on-change'(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse>;
  'index-pages'(timeout: number): Promise<{ repairs?: object[] } | undefined>;
  /** No function, but a check of the page index, which reads as one. */
  findIndexViolations(): Promise<string[]>;
};

/** A response of a function that streams, kept whole. */
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

/** The global that Lambda's runtime gives to functions that stream. */
function provideAwslambda(): void {
  const streamifyResponse = <Handler>(handler: Handler) => handler;
  const from = (stream: Writable, metadata: object) => Object.assign(stream, { metadata });
  Object.assign(globalThis, { awslambda: { streamifyResponse, HttpResponseStream: { from } } });
}

/** To be called once time and chance are virtual, and sources are patched: importing them is what INIT does. */
export async function loadHandlers(): Promise<Handlers> {
  provideAwslambda();
  const load = async (name: string) => (await import(`../../functions/${name}.ts`)).handler;
  const context = (timeout = 10_000): Context => {
    const { id = '', world } = currentInvocation() ?? {};
    const start = world?.clock.now ?? 0;
    const getRemainingTimeInMillis = () => timeout - ((world?.clock.now ?? 0) - start);
    // Of the context, handlers use this only.
    return { awsRequestId: id, getRemainingTimeInMillis } as Context;
  };
  const api = async (name: string): Promise<ApiHandler> => {
    const handler = await load(name);
    return (event) => handler(event, context());
  };
  const graphql = await load('graphql');
  const onChange = await load('on-change');
  const indexPages = await load('index-pages');
  const { findViolations } = await import('../users/page-index/invariant.ts');
  return {
    'create-user': await api('create-user'),
    'get-user': await api('get-user'),
    'list-users': await api('list-users'),
    'replace-user': await api('replace-user'),
    'update-user': await api('update-user'),
    'delete-user': await api('delete-user'),
    graphql: async (event) => {
      const response = new ResponseStream();
      await graphql(event, response, context());
      return { statusCode: response.metadata.statusCode, body: response.body };
    },
    subscribe: (event, stream) => graphql(event, stream, context(120_000)),
    'on-change': (event) => onChange(event, context(300_000)),
    'index-pages': (timeout) => indexPages({}, context(timeout)),
    findIndexViolations: findViolations,
  };
}
