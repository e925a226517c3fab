import { type HeaderName, type HeaderValues, renderHeaders } from '../response-headers.ts';

type Description = { description: string; schema: object; number?: true };

const descriptions: Record<HeaderName, Description> = {
  etag: {
    description: 'The version of the user, for If-Match and If-None-Match (RFC 9110 section 8.8.3).',
    schema: { type: 'string', pattern: '^"\\d+"$' },
  },
  location: { description: 'The path of the new user.', schema: { type: 'string', format: 'uri-reference' } },
  link: { description: 'Links to other pages of the list (RFC 8288).', schema: { type: 'string' } },
  'x-total-count': {
    description: 'The number of users on all pages.',
    schema: { type: 'integer', minimum: 0 },
    number: true,
  },
  allow: { description: 'The methods of this path (RFC 9110 section 10.2.1).', schema: { type: 'string' } },
  'accept-patch': { description: 'The media types of a patch (RFC 5789 section 3.1).', schema: { type: 'string' } },
  deprecation: { description: 'When the operation was deprecated (RFC 9745).', schema: { type: 'string' } },
  sunset: { description: 'When the operation will be removed (RFC 8594).', schema: { type: 'string' } },
  'retry-after': {
    description: 'Seconds to wait before the next attempt (RFC 9110 section 10.2.3).',
    schema: { type: 'integer', minimum: 0 },
    number: true,
  },
};

const toTitleCase = (name: string) =>
  name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()).replace('Etag', 'ETag');

/** Header Objects (https://spec.openapis.org/oas/v3.1.1.html#header-object) with the rendered values as examples. */
export function describeHeaders(values: HeaderValues) {
  // `Object.entries` loses the type of the names.
  const rendered = Object.entries(renderHeaders(values)) as [HeaderName, string][];
  return Object.fromEntries(
    rendered.map(([name, value]) => {
      const { number, ...header } = descriptions[name];
      return [toTitleCase(name), { ...header, example: number ? Number(value) : value }];
    }),
  );
}
