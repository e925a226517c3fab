import * as z from 'zod/mini';
import { invalidInput } from '../errors.ts';
import { parseJsonBody } from '../json.ts';
import type { Versions } from '../users/get.ts';
import { parseInput } from '../validation.ts';
import { parseIfMatch } from './conditional-requests.ts';
import type { Event } from './operation.ts';

export const JSON_TYPE = 'application/json';

/** In REST, the id of the user is in the path, and the version in If-Match. */
export const notInBody = { id: true, ifVersion: true } as const;
export const pathId = {
  id: z.optional(z.string()).register(z.globalRegistry, { description: 'If present, the id in the path.' }),
};

export function readTarget(event: Event): { id: string; ifVersion?: Versions } {
  return { id: readId(event), ifVersion: parseIfMatch(event.headers['if-match']) };
}

export function readId({ pathParameters, routeKey }: Event): string {
  const id = pathParameters?.id;
  if (id === undefined) throw new Error(`The route ${routeKey} has no path parameter "id"`);
  return id;
}

/** The body may repeat the id of the path. */
export function readFields<Body extends { id?: string | undefined }>(
  schema: z.ZodMiniType<Body>,
  event: Event,
): Omit<Body, 'id'> {
  const { id, ...fields } = parseInput(schema, parseJsonBody(event));
  if (id !== undefined && id !== readId(event)) throw invalidInput(['id'], 'must be the id in the path');
  return fields;
}
