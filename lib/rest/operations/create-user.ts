import * as z from 'zod/mini';
import { readCaller } from '../../auth/caller.ts';
import { invalidInput } from '../../errors.ts';
import { createIdempotencyKey, type IdempotencyKey } from '../../idempotency.ts';
import { parseInput, parseJsonBody } from '../../input/parsing.ts';
import { idempotencyKey } from '../../input/schemas.ts';
import { createUserInput } from '../../users/input.ts';
import type { Created } from '../../users/write.ts';
import type { Event, RestOperation } from '../operation.ts';
import { JSON_TYPE } from '../requests.ts';
import { renderUser } from '../responses.ts';

type Request = { input: z.infer<typeof createUserInput>; idempotencyKey: IdempotencyKey | undefined };

export const createUserOperation = {
  method: 'POST',
  path: '',
  status: 201,
  right: 'write',
  grant: { table: ['GetItem', 'PutItem', 'ConditionCheckItem'] },
  body: { schema: createUserInput, mediaTypes: [JSON_TYPE] },
  requestHeaders: ['Idempotency-Key'],
  read: (event) => ({
    input: parseInput(createUserInput, parseJsonBody(event)),
    idempotencyKey: readIdempotencyKey(event),
  }),
  render: ({ user, isRepetition }, _, format) => {
    const { body, headers } = renderUser(user, format);
    return { body, headers: { ...headers, location: `${format.path}/${user.id}`, isRepetition } };
  },
} as const satisfies RestOperation<Request, Created>;

const keyHeader = z.object({ 'Idempotency-Key': z.optional(idempotencyKey) });

function readIdempotencyKey(event: Event): IdempotencyKey | undefined {
  const sent = unquote(event.headers['idempotency-key']);
  const { 'Idempotency-Key': key } = parseInput(keyHeader, { 'Idempotency-Key': sent });
  return key === undefined ? undefined : createIdempotencyKey('Idempotency-Key', key, readCaller(event));
}

/** A quoted String of structured fields (RFC 9651 section 3.3.3). */
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/;

/** Accepts a String of structured fields (draft-ietf-httpapi-idempotency-key-header), and text without quotes. */
function unquote(header: string | undefined): string | undefined {
  if (!header?.startsWith('"')) return header;
  const [, content] = QUOTED.exec(header) ?? [];
  if (content === undefined)
    throw invalidInput(['Idempotency-Key'], 'must end with a quote, because it starts with one');
  return content.replaceAll(/\\(["\\])/g, '$1');
}
