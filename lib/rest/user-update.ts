import * as z from 'zod/mini';
import { invalidInput } from '../errors.ts';
import { parseInput, parseJsonBody } from '../input/parsing.ts';
import { idInput } from '../input/schemas.ts';
import type { Event } from './operation.ts';
import { readId, readIdAndConditions } from './requests.ts';

/** A body may repeat the id of the path. */
export const pathId = { id: z.optional(idInput) };

export function readUserUpdate<Body extends { id?: string | undefined }>(schema: z.ZodMiniType<Body>, event: Event) {
  const { id, ...fields } = parseInput(schema, parseJsonBody(event));
  if (id !== undefined && id !== readId(event)) throw invalidInput(['id'], 'must be the id in the path');
  return { ...fields, ...readIdAndConditions(event) };
}
