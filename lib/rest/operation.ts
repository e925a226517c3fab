import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type * as z from 'zod/mini';
import type { Right } from '../auth/caller.ts';
import type { ServiceError } from '../errors.ts';
import type { FieldDeclaration } from '../users/fields/declaration.ts';
import type { Method } from './requests.ts';
import type { Deprecation, HeaderValues, ResponseFormat } from './responses.ts';

export type Event = APIGatewayProxyEventV2;

type Action = 'GetItem' | 'BatchGetItem' | 'Query' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'ConditionCheckItem';

/**
 * Actions on the table that a function may use. A transaction needs the actions of its writes:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html Every function needs
 * GetItem to open the connection during INIT. A test compares the other actions with the requests of each function.
 */
export type Grant = {
  table: readonly Action[];
  index?: readonly Action[];
  /** Limits an action on the table to these partition keys. `*` matches any text. */
  partitions?: Partial<Record<Action, readonly string[]>>;
};

/** Declaration of an operation, from which routes, scopes, grants, OpenAPI document and local gateway derive. */
export type Operation = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Appended to the path of the response format. */
  path: '' | `/${string}`;
  status: 200 | 201 | 204;
  right: 'read' | 'write' | 'self';
  findRight?(event: Event): Right;
  grant: Grant;
  body?: { schema: z.ZodMiniType<object>; mediaTypes: readonly string[] };
  queries?: Record<ResponseFormat['name'], z.ZodMiniType>;
  requestHeaders?: readonly ('If-Match' | 'If-None-Match' | 'If-Unmodified-Since' | 'Idempotency-Key' | 'Prefer')[];
  deprecation?: Deprecation;
  /** Default: the methods of the users' paths. */
  pathMethods?: readonly Method[];
  isTurnedOff?(method: string): boolean;
  isPrivate?: boolean;
  /** Offered only if the subject is a list, so that a person can have several logins. */
  needsLogins?: boolean;
  /** The function verifies tokens in bodies. The gateway has verified the bearer token. */
  verifiesTokens?: boolean;
  describeError?(error: ServiceError, path: string): HeaderValues;
};

export const isOffered = (
  { right, needsLogins }: Pick<Operation, 'right' | 'needsLogins'>,
  subject: Pick<FieldDeclaration, 'list'> | undefined,
): boolean => right !== 'self' || Boolean(needsLogins ? subject?.list : subject);

export type Rendered = { status?: 201 | 304; body?: unknown; headers?: HeaderValues };

/** `Request` is the same in both response formats. `Result` is the result of the operation's function. */
export type RestOperation<Request, Result> = Operation & {
  read(event: Event, format: ResponseFormat): Request;
  render(result: Result, request: Request, format: ResponseFormat): Rendered;
};
