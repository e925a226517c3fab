import type * as z from 'zod/mini';
import type { deleteUserInput } from '../users/inputs.ts';
import { idInput } from '../uuidv7.ts';
import { parseIfMatch, parseIfNoneMatch } from './conditional-requests.ts';
import type { Event } from './operation.ts';

export const JSON_TYPE = 'application/json';

/** The user to write, and the conditions of the write (RFC 9110 section 13). */
export const readTarget = (event: Event): z.infer<typeof deleteUserInput> => ({
  id: readId(event),
  ifVersion: parseIfMatch(event.headers['if-match']),
  ifNotVersion: parseIfNoneMatch(event.headers['if-none-match']),
});

export function readId({ pathParameters, routeKey }: Event): string {
  const id = pathParameters?.id;
  if (id === undefined) throw new Error(`The route ${routeKey} has no path parameter "id"`);
  return idInput.parse(id);
}

/** The values of a repeated parameter are an array: API Gateway joins them with commas, which one value may contain, too. */
export function readQuery({ queryStringParameters = {}, rawQueryString }: Event): object {
  const parameters = new URLSearchParams(rawQueryString);
  const query = Object.entries(queryStringParameters).map(([name, value]) => {
    const values = parameters.getAll(name);
    return [name, values.length > 1 ? values : value];
  });
  return Object.fromEntries(query);
}
