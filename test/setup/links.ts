export type Link = { path: string; query: Record<string, string> };

/** Returns links by relation (RFC 8288 section 3). */
export function parseLinks({ headers }: { headers: Record<string, unknown> }): Record<string, Link> {
  const links = [...String(headers.link ?? '').matchAll(/<(?<path>[^?>]*)\?(?<query>[^>]*)>; rel="(?<rel>\w+)"/g)];
  return Object.fromEntries(
    links.map(({ groups: { path = '', query = '', rel = '' } = {} }) => [
      rel,
      { path, query: Object.fromEntries(new URLSearchParams(query)) },
    ]),
  );
}
