import { createHash } from 'node:crypto';

/** A static response for browsers, which contains nothing from the request. */
export type Page = { status: number; headers: Record<string, string>; body: string | Uint8Array };

/** Creates the header that restricts what pages load and connect to: their own origin, and the given sources. */
export const createContentSecurityPolicy = (connectSources: string[] = [], scriptSources: string[] = []): string =>
  [
    "default-src 'none'",
    ["script-src 'self'", ...scriptSources].join(' '),
    // `unsafe-inline`, because Mantine and GraphiQL set inline styles.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    ["connect-src 'self'", ...connectSources].join(' '),
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const CONTENT_SECURITY_POLICY = createContentSecurityPolicy();

/** Browsers revalidate a page on each visit, unless `cacheControl` says otherwise. */
export const createPage = (
  type: string,
  body: string | Uint8Array,
  { status = 200, cacheControl = 'no-cache' } = {},
): Page => ({
  status,
  headers: {
    // A weak entity tag, because the compressed body has the same one.
    etag: `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`,
    'content-type': type,
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': cacheControl,
    // For caches: CORS headers depend on the request's origin, and compression on its accept-encoding.
    vary: 'origin, accept-encoding',
  },
  body,
});
