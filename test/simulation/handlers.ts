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
  'on-change'(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse>;
  'index-pages'(timeout: number): Promise<unknown>;
};

/** To be called once time and chance are virtual, and sources are patched: importing them is what INIT does. */
export async function loadHandlers(): Promise<Handlers> {
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
  const onChange = await load('on-change');
  const indexPages = await load('index-pages');
  return {
    'create-user': await api('create-user'),
    'get-user': await api('get-user'),
    'list-users': await api('list-users'),
    'replace-user': await api('replace-user'),
    'update-user': await api('update-user'),
    'delete-user': await api('delete-user'),
    graphql: await api('graphql'),
    'on-change': (event) => onChange(event, context(300_000)),
    'index-pages': (timeout) => indexPages({}, context(timeout)),
  };
}
