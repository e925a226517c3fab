const HEADERS: Record<string, { description: string; schema: object }> = {
  etag: {
    description: "The user's version, for If-Match and If-None-Match (RFC 9110 section 8.8.3).",
    schema: { type: 'string', pattern: '^"\\d+"$' },
  },
  location: { description: 'The path of the new user.', schema: { type: 'string', format: 'uri-reference' } },
  link: { description: 'Where the list goes on (RFC 8288).', schema: { type: 'string' } },
  'x-total-count': { description: 'How many users the whole list has.', schema: { type: 'integer', minimum: 0 } },
  deprecation: { description: 'Since when it is deprecated (RFC 9745).', schema: { type: 'string' } },
  sunset: { description: 'When it goes (RFC 8594).', schema: { type: 'string' } },
  'retry-after': { description: 'Seconds to wait (RFC 9110 section 10.2.3).', schema: { type: 'integer', minimum: 0 } },
};

const titleCase = (name: string) => name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()).replace('Etag', 'ETag');

/** Response headers as the document has them, from an example of each. Throws for one that it has no words for. */
export function describeHeaders(examples: Record<string, string>) {
  const described = Object.entries(examples).map(([name, value]) => {
    const header = HEADERS[name];
    if (!header) throw new Error(`The response header ${name} is not described in ${import.meta.filename}`);
    const isNumber = 'type' in header.schema && header.schema.type === 'integer';
    return [titleCase(name), { ...header, example: isNumber ? Number(value) : value }];
  });
  return Object.fromEntries(described);
}
