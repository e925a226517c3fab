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
  title: string;
  body: string;
  /** The script fetches this first. */
  data?: string;
};

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

const htmlPages = {
  /** The page contains nothing of the service it belongs to: it loads its settings. Its header is there until React renders it. */
  console: {
    title: 'Users',
    data: '/console.json',
    body: `<div id="console"><div class="app"><header class="header">
<span class="brand"><img src="${LOGO_URL}" alt="" width="24" height="24"><span class="brand-name">User Management</span></span>
</header></div></div>
<noscript>The console needs JavaScript. The <a href="/openapi.json">OpenAPI document</a> does not.</noscript>`,
  },
  docs: {
    title: 'REST reference',
    data: '/openapi.json',
    body: `${createSiteBar('/docs')}\n<div id="docs"></div>`,
  },
  graphiql: {
    title: 'GraphiQL',
    body: `${createSiteBar('/graphql')}\n<main>\n<h1 class="visually-hidden">GraphiQL</h1>\n<div id="graphiql"></div>\n</main>`,
  },
} satisfies Record<string, HtmlPage>;

/**
 * Returns the page of a bundle. It loads the style and the scripts of the bundle; the script for the colors runs before
 * the first paint. The browser would learn of `modules`, which the main script imports, from that script only.
 */
export function createHtml(bundle: keyof typeof htmlPages, modules: string[]): string {
  const { title, body, data }: HtmlPage = htmlPages[bundle];
  const preloads = [
    ...modules.map((module) => `<link rel="modulepreload" href="/pages/${bundle}/${module}">\n`),
    ...(data ? [`<link rel="preload" href="${data}" as="fetch" crossorigin>\n`] : []),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${LOGO_URL}">
<link rel="stylesheet" href="/pages/${bundle}/main.css">
<script src="/pages/${bundle}/color-scheme.js"></script>
<script type="module" src="/pages/${bundle}/main.js"></script>
${preloads.join('')}</head>
<body>
${body}
</body>
</html>
`;
}
