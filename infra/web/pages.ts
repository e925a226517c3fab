import { createHash } from 'node:crypto';

/** Contains nothing from the request. */
export type Page = { status: number; headers: Record<string, string>; body: string | Uint8Array };

export const createContentSecurityPolicy = (connectSources: string[] = [], scriptSources: string[] = []): string =>
  [
    "default-src 'none'",
    ["script-src 'self'", ...scriptSources].join(' '),
    // Mantine and GraphiQL set inline styles.
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

/** Browsers revalidate on each visit, unless `cacheControl` is set. */
export const createPage = (
  type: string,
  body: string | Uint8Array,
  { status = 200, cacheControl = 'no-cache' } = {},
): Page => ({
  status,
  headers: {
    // Weak, because the compressed body has the same entity tag.
    etag: `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`,
    'content-type': type,
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': cacheControl,
    // CORS headers depend on the origin, compression on accept-encoding.
    vary: 'origin, accept-encoding',
  },
  body,
});
