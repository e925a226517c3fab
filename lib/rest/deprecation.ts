/** When an operation was, or will be, deprecated; when it goes; and where its successor is described. */
export type Deprecation = { since: Date; sunset?: Date; link?: string };

/** RFC 9745 section 2 (a structured-field date), RFC 8594 section 3 (an HTTP date), RFC 9745 section 3 (the relation). */
export function deprecationHeaders(deprecation: Deprecation | undefined): Record<string, string> {
  if (!deprecation) return {};
  const { since, sunset, link } = deprecation;
  return {
    deprecation: `@${Math.floor(since.getTime() / 1000)}`,
    ...(sunset ? { sunset: sunset.toUTCString() } : {}),
    ...(link ? { link: `<${link}>; rel="deprecation"; type="text/html"` } : {}),
  };
}
