import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import * as z from 'zod/mini';
import { readCaller } from '../auth/caller.ts';
import { invalidInput } from '../errors.ts';
import { createIdempotencyKey, type IdempotencyKey, idempotencyKey } from '../idempotency.ts';
import { parseJsonBody } from '../json.ts';
import type { ListUsers } from '../users/list.ts';
import type { createUserInput, deleteUserInput, replaceUserInput, updateUserInput } from '../users/schema.ts';
import { parseInput } from '../validation.ts';
import { parseIfMatch } from './conditional-requests.ts';
import { type OperationName, operations } from './operations.ts';
import type { ResponseFormat } from './response-formats.ts';

type Event = APIGatewayProxyEventV2;

/** What the function of an operation receives: validated, and the same in every response format. */
export type RestRequests = {
  'list-users': ListUsers;
  'get-user': { id: string; ifNoneMatch: string | undefined };
  'create-user': { input: z.infer<typeof createUserInput>; idempotencyKey: IdempotencyKey | undefined };
  'replace-user': z.infer<typeof replaceUserInput>;
  'update-user': z.infer<typeof updateUserInput>;
  'delete-user': z.infer<typeof deleteUserInput>;
};

/** Each throws BAD_USER_INPUT. */
export const requestReaders: {
  [Name in OperationName]: (event: Event, format: ResponseFormat) => RestRequests[Name];
} = {
  'list-users': ({ queryStringParameters = {} }, { listQuery }) => parseInput(listQuery, queryStringParameters),
  'get-user': (event) => ({ id: readId(event), ifNoneMatch: event.headers['if-none-match'] }),
  'create-user': (event) => ({
    input: parseInput(operations['create-user'].body.schema, parseJsonBody(event)),
    idempotencyKey: readIdempotencyKey(event),
  }),
  'replace-user': (event) => ({ ...readFields(operations['replace-user'].body.schema, event), ...readTarget(event) }),
  'update-user': (event) => ({ ...readFields(operations['update-user'].body.schema, event), ...readTarget(event) }),
  'delete-user': readTarget,
};

function readTarget(event: Event) {
  return { id: readId(event), ifVersion: parseIfMatch(event.headers['if-match']) };
}

function readId({ pathParameters, routeKey }: Event): string {
  const id = pathParameters?.id;
  if (id === undefined) throw new Error(`The route ${routeKey} has no path parameter "id"`);
  return id;
}

/** The body may repeat the id of the path. */
function readFields<Body extends { id?: string | undefined }>(
  schema: z.ZodMiniType<Body>,
  event: Event,
): Omit<Body, 'id'> {
  const { id, ...fields } = parseInput(schema, parseJsonBody(event));
  if (id !== undefined && id !== readId(event)) throw invalidInput(['id'], 'must be the id in the path');
  return fields;
}

const keyHeader = z.object({ 'Idempotency-Key': z.optional(idempotencyKey) });

function readIdempotencyKey(event: Event): IdempotencyKey | undefined {
  const { 'Idempotency-Key': key } = parseInput(keyHeader, { 'Idempotency-Key': event.headers['idempotency-key'] });
  return key === undefined ? undefined : createIdempotencyKey('Idempotency-Key', key, readCaller(event));
}
