import type { Versions } from '../users/get.ts';
import { parseIfMatch } from './conditional-requests.ts';
import type { Event } from './operation.ts';

export const JSON_TYPE = 'application/json';

export function readTarget(event: Event): { id: string; ifVersion?: Versions } {
  return { id: readId(event), ifVersion: parseIfMatch(event.headers['if-match']) };
}

export function readId({ pathParameters, routeKey }: Event): string {
  const id = pathParameters?.id;
  if (id === undefined) throw new Error(`The route ${routeKey} has no path parameter "id"`);
  return id;
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
