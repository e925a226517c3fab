/** A static response for browsers. It contains nothing from the request. */
export type Page = { status: number; headers: Record<string, string>; body: string | Uint8Array };

/** Pages may load from and connect to their own origin only. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // GraphiQL's editor and Swagger UI set inline styles.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const createPage = (type: string, body: string | Uint8Array, status = 200): Page => ({
  status,
  headers: {
    'content-type': type,
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
  },
  body,
});

/** A page that loads style and script from the named bundle. */
export const createHtmlPage = (bundle: string, title: string, body: string) =>
  createPage(
    'text/html; charset=utf-8',
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/pages/${bundle}/main.css">
<script type="module" src="/pages/${bundle}/main.js"></script>
</head>
<body>
${body}
</body>
</html>
`,
  );
