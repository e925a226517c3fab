/** What a browser is answered with, as it is: nothing of a request gets into it. */
export type Page = { status: number; headers: Record<string, string>; body: string | Uint8Array };

/** Everything comes from this very origin: the browser itself refuses whatever would leave it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // GraphiQL's editor and Swagger UI style their elements one by one.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const pageOf = (type: string, body: string | Uint8Array, status = 200): Page => ({
  status,
  headers: {
    'content-type': type,
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
  },
  body,
});

/** A page whose style and script are the bundle of its name. */
export const htmlOf = (bundle: string, title: string, body: string) =>
  pageOf(
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
