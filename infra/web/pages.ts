import { createHash } from 'node:crypto';
import { LOGO_URL } from './logo.ts';

/** A static response for browsers. It contains nothing from the request. */
export type Page = { status: number; headers: Record<string, string>; body: string | Uint8Array };

/** Pages may load from and connect to their own origin only, and connect to the given ones. */
export const createContentSecurityPolicy = (connectSources: string[] = []): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
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

export const createPage = (type: string, body: string | Uint8Array, status = 200): Page => ({
  status,
  headers: {
    // The entity tag is weak, because the compressed body has it, too.
    etag: `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`,
    'content-type': type,
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
    // Every response varies by origin, because CORS adds headers.
    vary: 'origin, accept-encoding',
  },
  body,
});

type HtmlPage = {
  /** The page loads the style and the scripts of this bundle; the script for the colors runs before the first paint. */
  bundle: string;
  title: string;
  body: string;
  /** This is added to the head. */
  head?: string;
};

const createHtmlPage = ({ bundle, title, body, head = '' }: HtmlPage) =>
  createPage(
    'text/html; charset=utf-8',
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${LOGO_URL}">
<link rel="stylesheet" href="/pages/${bundle}/main.css">
<script src="/pages/${bundle}/color-scheme.js"></script>
${head}<script type="module" src="/pages/${bundle}/main.js"></script>
</head>
<body>
${body}
</body>
</html>
`,
  );

const SITE = [
  { path: '/', label: 'Console' },
  { path: '/docs', label: 'Reference' },
  { path: '/graphql', label: 'GraphiQL' },
];

/** Links the pages with each other. The console has these links in its own header. */
function createSiteBar(current: string): string {
  const links = SITE.map(
    ({ path, label }) => `<a href="${path}"${path === current ? ' aria-current="page"' : ''}>${label}</a>`,
  );
  return `<nav class="site" aria-label="Pages of the service">${links.join('')}</nav>`;
}

/** The page contains nothing of the service it belongs to: it loads its settings. */
export const consolePage = createHtmlPage({
  bundle: 'console',
  title: 'Users',
  head: '<link rel="preload" href="/console.json" as="fetch" crossorigin>\n',
  body: `<div id="console"></div>
<noscript>The console needs JavaScript. The <a href="/openapi.json">OpenAPI document</a> does not.</noscript>`,
});

export const referencePage = createHtmlPage({
  bundle: 'docs',
  title: 'REST reference',
  head: '<link rel="preload" href="/openapi.json" as="fetch" crossorigin>\n',
  body: `${createSiteBar('/docs')}\n<div id="docs"></div>`,
});

export const graphiqlPage = createHtmlPage({
  bundle: 'graphiql',
  title: 'GraphiQL',
  body: `${createSiteBar('/graphql')}\n<main>\n<h1 class="visually-hidden">GraphiQL</h1>\n<div id="graphiql"></div>\n</main>`,
});
// The GraphQL API answers clients that do not accept HTML.
graphiqlPage.headers.vary = 'origin, accept, accept-encoding';
