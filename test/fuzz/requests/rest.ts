import fc from 'fast-check';
import type { FuzzRequest } from '../request.ts';
import { headers } from './headers.ts';
import { ownValues, uniqueParameters, validValues } from './own-values.ts';
import { crowded, cursor, email, json, name, text, userId, userRef, wholeNumber } from './values.ts';

const path = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('/api/users', '/v1/users') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('/', '/v1', '/v1/users/', '//v1/users', '/V1/users', '/openapi.json', '/docs'),
  },
);

/** Does not encode reserved characters such as % and &, so some values change their meaning. */
const encodeLoosely = (value: string) => value.replace(/[^\x21\x24-\x7e]|[?\\<>"`{}|^]/gu, encodeOrDrop);
const encodeOrDrop = (character: string) => (character.isWellFormed() ? encodeURIComponent(character) : '%ED%A0%80');

const segment = userId.map((id) => `/${encodeLoosely(id).slice(0, 6_000)}`);

const parameters: Record<string, fc.Arbitrary<string>> = {
  page: fc.oneof(wholeNumber.map(String), text),
  limit: fc.oneof(wholeNumber.map(String), text),
  after: fc.oneof(userId, cursor, text),
  order: fc.oneof(fc.constantFrom('asc', 'desc', 'ASC', ''), text),
  email: fc.oneof(email, text),
  q: fc.oneof(fc.constantFrom('ad', 'Ada', 'a', 'lo', 'example'), text),
  name: text,
  ...uniqueParameters,
  __proto__: text,
};

const parameter = fc
  .constantFrom(...Object.keys(parameters))
  .chain((key) => fc.tuple(fc.constant(key), parameters[key] ?? text))
  .map(([key, value]) => `${key}=${encodeLoosely(value).slice(0, 3_000)}`);

const query = fc.oneof(
  { weight: 2, arbitrary: fc.constant('') },
  { weight: 4, arbitrary: fc.array(parameter, { maxLength: 4 }).map((all) => `?${all.join('&')}`) },
  { weight: 1, arbitrary: text.map((value) => `?${encodeLoosely(value).slice(0, 3_000)}`) },
);

const person = fc.record({ name: fc.constantFrom('Ada', 'Grace Hopper'), email });
const withFields = (users: fc.Arbitrary<object>, values: fc.Arbitrary<object>) =>
  fc.tuple(users, values).map(([user, fields]) => ({ ...user, ...fields }));
const validUser = fc.oneof(person, withFields(person, validValues));
const nearlyUser = fc.oneof(
  withFields(person, ownValues),
  fc.record(
    {
      name: fc.oneof(name, json),
      email: fc.oneof(email, json),
      id: fc.oneof(userId, json),
      version: json,
      __proto__: json,
    },
    { requiredKeys: [] },
  ),
);

const stringify = (value: unknown) => JSON.stringify(value);

export const body: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  { weight: 4, arbitrary: validUser.map(stringify) },
  { weight: 6, arbitrary: nearlyUser.map(stringify) },
  { weight: 1, arbitrary: validUser.chain(crowded).map(stringify) },
  { weight: 2, arbitrary: json.map(stringify) },
  { weight: 1, arbitrary: fc.tuple(validUser.map(stringify), fc.nat(), text).map(splice) },
  { weight: 1, arbitrary: text },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  { weight: 1, arbitrary: fc.constantFrom(10_000, 200_000).map((depth) => '['.repeat(depth)) },
);

export function splice([whole, at, part]: [string, number, string]): string {
  const position = at % (whole.length + 1);
  return whole.slice(0, position) + part + whole.slice(position);
}

const method = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE') },
  { weight: 1, arbitrary: fc.constantFrom('HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY') },
);

/** Maximum bytes of a URL: the web function limits all headers to 32 kB. */
const MAX_URL_BYTES = 30_000;

/** Long URLs, because the service parses URLs before authentication. */
const longUrl = fc.oneof(
  fc
    .constantFrom('a', '/', '@', '%41', '%40', '&', '=', ',', ';')
    .map((part) => part.repeat(MAX_URL_BYTES / part.length)),
  fc.constantFrom('', '=', '=1', '[]').map(listNames),
);

function listNames(end: string): string {
  let names = '';
  for (let at = 0; names.length < MAX_URL_BYTES - 10; at++) names += `${at.toString(36)}${end}&`;
  return names;
}

const longRequest: fc.Arbitrary<FuzzRequest> = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'OPTIONS'),
    start: fc.constantFrom('/', '/v1/users/', '/v1/users?', '/graphql?', '/nowhere?'),
    rest: longUrl,
    headers: fc.constantFrom<Record<string, string>>({}, { accept: 'application/json' }),
  })
  .map(({ start, rest, ...request }) => ({ ...request, path: start + rest }));

const plainRequest: fc.Arbitrary<FuzzRequest> = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
    path: fc.constantFrom('/api/users', '/v1/users'),
    id: userRef,
    isList: fc.boolean(),
    query: fc.constantFrom('', '?limit=1000', '?q=ada', '?order=desc', '?page=2&limit=3'),
    user: validUser,
  })
  .map(({ method, path, id, isList, query, user }) => {
    const headers = { 'content-type': 'application/json' };
    if (method === 'POST') return { method, path, headers, body: stringify(user) };
    if (method === 'GET' && isList) return { method, path: path + query, headers: {} };
    const hasBody = method === 'PUT' || method === 'PATCH';
    return { method, path: `${path}/${id}`, ...(hasBody ? { headers, body: stringify(user) } : { headers: {} }) };
  });

const anyRequest: fc.Arbitrary<FuzzRequest> = fc
  .record({
    method,
    path,
    segment: fc.option(segment, { nil: '' }),
    query,
    headers,
    body: fc.option(body, { nil: undefined }),
  })
  .map(({ path, segment, query, headers, ...request }) => ({
    ...request,
    path: path + segment + query,
    headers: { ...(request.body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
  }));

export const restRequest = fc.oneof(
  { weight: 30, arbitrary: anyRequest },
  { weight: 10, arbitrary: plainRequest },
  { weight: 1, arbitrary: longRequest },
);
