import { htmlOf, type Page } from './page.ts';

/** Where the service is and where its data lie; `authorized` where it asks for a token. */
export type Place = { url: string; data: string; authorized: boolean };

/** Where everything is, and commands to try it with. */
export function homePage({ url, data, authorized }: Place): Page {
  const curl = authorized ? 'curl -H "authorization: Bearer $TOKEN"' : 'curl';
  const command = (caption: string, text: string) =>
    `<figure><figcaption>${caption}</figcaption><pre tabindex="0">${escaped(text)}</pre></figure>`;
  const ada = `{"name":"Ada Lovelace","email":"ada@example.org"}`;
  const json = `-H 'content-type: application/json'`;
  return htmlOf(
    'home',
    'User Management Service',
    `<header>
<h1>User Management Service</h1>
<p>Users and their posts, through three doors to the same records. It runs on this machine.</p>
</header>
<main>
<section class="doors" aria-label="The three doors">
<article><h3><a href="/docs#/api">/api/users</a></h3><p>REST, in an envelope: <code>{"data": …}</code></p></article>
<article><h3><a href="/docs#/v1">/v1/users</a></h3><p>REST, bare, with pages by number</p></article>
<article><h3><a href="/graphql">/graphql</a></h3><p>Queries, mutations and subscriptions on one URL</p></article>
</section>
<h2>Read</h2>
<ul>
<li><a href="/docs">REST reference</a>, to try every operation from the browser; its source is <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1)</li>
<li><a href="/graphql">GraphiQL</a>, with the GraphQL schema beside the editor</li>
</ul>
<h2>Try</h2>
${command('Create a user', `${curl} ${url}/api/users ${json} \\\n  -d '${ada}'`)}
${command('List the users, enveloped and bare', `${curl} ${url}/api/users\n${curl} '${url}/v1/users?page=1&limit=20'`)}
${command('Ask over GraphQL', `${curl} ${url}/graphql ${json} \\\n  -d '{"query":"{ users { totalCount edges { node { name posts { title } } } } }"}'`)}
${command('Follow what changes (stays open)', `${curl} -N ${url}/graphql ${json} -H 'accept: text/event-stream' \\\n  -d '{"query":"subscription { userChanged { kind id user { name } } }"}'`)}
</main>
<footer>Data: <code>${escaped(data)}</code></footer>`,
  );
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
