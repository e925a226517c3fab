import { createHtmlPage, type Page } from './page.ts';

/** `data` is the location of the data. */
export type ServiceInfo = { url: string; data: string; requiresToken: boolean };

/** Links to every page, and commands to try. */
export function createHomePage({ url, data, requiresToken }: ServiceInfo): Page {
  const curl = requiresToken ? 'curl -H "authorization: Bearer $TOKEN"' : 'curl';
  const command = (caption: string, text: string) =>
    `<figure><figcaption>${caption}</figcaption><pre tabindex="0">${escapeHtml(text)}</pre></figure>`;
  const ada = `{"name":"Ada Lovelace","email":"ada@example.org"}`;
  const json = `-H 'content-type: application/json'`;
  return createHtmlPage(
    'home',
    'User Management Service',
    `<header>
<h1>User Management Service</h1>
<p>Users and their posts over REST and GraphQL, running on this machine.</p>
</header>
<main>
<section class="apis" aria-label="APIs">
<article><h3><a href="/docs#/api">/api/users</a></h3><p>REST, enveloped: <code>{"data": …}</code></p></article>
<article><h3><a href="/docs#/v1">/v1/users</a></h3><p>REST, bare, with page numbers</p></article>
<article><h3><a href="/graphql">/graphql</a></h3><p>Queries, mutations and subscriptions on one URL</p></article>
</section>
<h2>Documentation</h2>
<ul>
<li><a href="/docs">REST reference</a>: try every operation in the browser. Source: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1)</li>
<li><a href="/graphql">GraphiQL</a>: GraphQL editor and schema</li>
</ul>
<h2>Try</h2>
${command('Create a user', `${curl} ${url}/api/users ${json} \\\n  -d '${ada}'`)}
${command('List the users, enveloped and bare', `${curl} ${url}/api/users\n${curl} '${url}/v1/users?page=1&limit=20'`)}
${command('Query with GraphQL', `${curl} ${url}/graphql ${json} \\\n  -d '{"query":"{ users { totalCount edges { node { name posts { title } } } } }"}'`)}
${command('Subscribe to changes (stays open)', `${curl} -N ${url}/graphql ${json} -H 'accept: text/event-stream' \\\n  -d '{"query":"subscription { userChanged { kind id user { name } } }"}'`)}
</main>
<footer>Data: <code>${escapeHtml(data)}</code></footer>`,
  );
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
