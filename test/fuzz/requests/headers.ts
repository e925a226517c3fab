import fc from 'fast-check';
import { text } from './values.ts';

export const headerValue = text.map((value) =>
  Buffer.from(value)
    .toString('latin1')
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, '')
    .slice(0, 4_000)
    .trim(),
);

const mediaType = fc.constantFrom(
  ...['application/json', 'application/json; charset=utf-8', 'application/merge-patch+json', 'text/plain', '*/*'],
  ...['application/x-www-form-urlencoded', 'multipart/form-data', 'application/graphql', 'application/*', 'text/html'],
  ...['application/graphql-response+json', 'text/event-stream', 'application/json;q=0', 'application/json; charset="'],
);

const entityTags = fc.constantFrom(
  ...['*', '"1"', 'W/"1"', '"1", "2"', '"1",', ',,"1"', '"', '1', '"99999999999999999999"', '"a"', '"1" "2"', ' * '],
  Array.from({ length: 150 }, (_, index) => `"${index}"`).join(','),
);

const optionalHeaders: Record<string, fc.Arbitrary<string>> = {
  accept: fc.oneof(mediaType, headerValue),
  'content-type': fc.oneof(mediaType, headerValue),
  'if-match': fc.oneof(entityTags, headerValue),
  'if-none-match': fc.oneof(entityTags, headerValue),
  'if-unmodified-since': fc.oneof(
    fc.constantFrom('Thu, 01 Jan 2026 00:00:00 GMT', 'Fri, 31 Dec 9999 23:59:59 GMT', 'Thu, 99 Jan 2026 99:00:00 GMT'),
    headerValue,
  ),
  'idempotency-key': fc.oneof(fc.constantFrom('key-1', 'key-2', 'a b', 'k'.repeat(256)), headerValue),
  authorization: fc.oneof(fc.constantFrom('Bearer x', 'Bearer a.b.c', 'Basic YQ==', 'Bearer x,Bearer y'), headerValue),
  origin: fc.constantFrom('http://localhost:5173', 'https://site.example', 'null', 'https://app.example.org', '@'),
  host: fc.constantFrom('localhost', 'rebinding.example', '127.0.0.1:1', '[::1]', '@'),
  cookie: headerValue,
  'content-encoding': fc.constantFrom('gzip', 'identity', 'br'),
  'x-forwarded-for': headerValue,
  'x-http-method-override': fc.constantFrom('DELETE', 'PUT'),
  'accept-language': headerValue,
  'user-agent': headerValue,
};

export const headers = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Record<string, string>>({}) },
  { weight: 1, arbitrary: fc.record(optionalHeaders, { requiredKeys: [] }).chain(keepFew) },
);

function keepFew(all: Partial<Record<string, string>>): fc.Arbitrary<Record<string, string>> {
  const entries = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return fc.subarray(entries, { maxLength: Math.min(4, entries.length) }).map(Object.fromEntries);
}
