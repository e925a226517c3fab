import * as z from 'zod/mini';
import { invalidInput } from '../../errors.ts';
import { parseInput, parseJsonBody } from '../../input/parsing.ts';
import { createUserKey, formatUserKey } from '../../users/derived.ts';
import { keyFields, ownFields } from '../../users/fields/values.ts';
import { createUserInput } from '../../users/input.ts';
import type { Upsert, Upserted } from '../../users/upsert.ts';
import { parameter, readEmail, readValue } from '../list-query.ts';
import type { Event, RestOperation } from '../operation.ts';
import { JSON_TYPE, readConditions, readQuery } from '../requests.ts';
import { renderUser } from '../responses.ts';
import { include } from './list-users.ts';
import { rejectRange, replaceUserOperation } from './replace-user.ts';

const parameters = keyFields.join(', ');

const query = z.strictObject(
  { ...Object.fromEntries(keyFields.map((name) => [name, z.optional(parameter)])), include },
  `is not a parameter of PUT; its parameters are ${parameters}`,
);

// The compiler does not know the own fields.
const shape = createUserInput.shape as Record<string, z.ZodMiniType<string | number>>;
const isKeyField = Object.fromEntries(keyFields.map((name) => [name, true])) as { email: true };

/** For any key, which the body may omit. */
const schema = z.partial(createUserInput, isKeyField);

/** Creates or replaces the user with the value of a unique field. The function of `replace-user` serves it. */
export const upsertUserOperation = {
  ...replaceUserOperation,
  path: '',
  queries: { enveloped: query, bare: query },
  body: { schema, mediaTypes: [JSON_TYPE] },
  read(event) {
    rejectRange(event);
    return {
      ...readUpsert(event),
      ...readConditions(event, { allowsAnyId: true }),
      mustExist: event.headers['if-match'] !== undefined,
    };
  },
  render({ user, outcome }, _, format) {
    const { body, headers } = renderUser(user, format);
    if (outcome !== 'created') return { body, headers };
    return { status: 201, body, headers: { ...headers, location: `${format.path}/${user.id}` } };
  },
} as const satisfies RestOperation<Upsert, Upserted>;

function readUpsert(event: Event): Pick<Upsert, 'key' | 'input' | 'keepsSpelling'> {
  const { field, value } = readKey(event);
  const sent = parseJsonBody(event);
  const isObject = typeof sent === 'object' && sent !== null && !Array.isArray(sent);
  const input = parseInput(createUserInput, isObject ? { [field]: value, ...sent } : sent);
  const [key, repeated] = [value, new Map<string, unknown>(Object.entries(input)).get(field)].map((each) =>
    createUserKey(field, each as string | number),
  );
  if (!key) throw invalidInput([field], 'must have a visible character');
  if (!repeated || formatUserKey(key) !== formatUserKey(repeated))
    throw invalidInput([field], `must be the ${field} in the query, or be left out`);
  return { key, input, keepsSpelling: !(isObject && Object.hasOwn(sent, field)) };
}

function readKey(event: Event): { field: string; value: string | number } {
  const { include: _, ...sent } = parseInput(query, readQuery(event));
  const [key, other] = Object.entries(sent as Record<string, string>);
  if (!key) throw invalidInput([], `the query must have one of these parameters: ${parameters}`);
  if (other) throw invalidInput([other[0]], `cannot be combined with ${key[0]}`);
  const [field, text] = key;
  const declared = ownFields.find(({ name }) => name === field);
  const value = declared ? readValue(declared.type, text) : readEmail(text);
  const { [field]: parsed } = parseInput(z.object({ [field]: shape[field] ?? parameter }), { [field]: value });
  return { field, value: parsed ?? value };
}
