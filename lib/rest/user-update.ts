import * as z from 'zod/mini';
import { invalidInput } from '../errors.ts';
import { idInput } from '../input/id-input.ts';
import { parseJsonBody } from '../input/json.ts';
import { parseInput } from '../input/validation.ts';
import type { Event } from './operation.ts';
import { readId, readIdAndConditions } from './requests.ts';

/** In REST, the id of the user is in the path, and the conditions are in headers. */
export const notInBody = { id: true, ifVersion: true, ifNotVersion: true, ifUnmodifiedSince: true } as const;
export const pathId = {
  id: z.optional(idInput).register(z.globalRegistry, { description: 'If present, the id in the path.' }),
};

/** The fields of a replacement or update, and the user that they are for. The body may repeat the id of the path. */
export function readUserUpdate<Body extends { id?: string | undefined }>(schema: z.ZodMiniType<Body>, event: Event) {
  const { id, ...fields } = parseInput(schema, parseJsonBody(event));
  if (id !== undefined && id !== readId(event)) throw invalidInput(['id'], 'must be the id in the path');
  return { ...fields, ...readIdAndConditions(event) };
}
