import { createHash } from 'node:crypto';

/** A static response for browsers. It contains nothing from the request. */
export type Page = { status: number; headers: Record<string, string>; body: string | Uint8Array };

/** Pages may load from and connect to their own origin only, and to what is given. */
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

/** A page is asked for again at each visit, unless its `cacheControl` tells otherwise. */
export const createPage = (
  type: string,
  body: string | Uint8Array,
  { status = 200, cacheControl = 'no-cache' } = {},
): Page => ({
  status,
  headers: {
    // The entity tag is weak, because the compressed body has it, too.
    etag: `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`,
    'content-type': type,
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': cacheControl,
    // Every response varies by origin, because CORS adds headers.
    vary: 'origin, accept-encoding',
  },
  body,
});
