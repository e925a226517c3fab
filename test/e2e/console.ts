import { deepEqual } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { bundleOpenApiPrinter } from '../../infra/construct/bundling/bundle.ts';
import { OPENAPI_PRINTER } from '../../infra/construct/grants.ts';
import { REFERENCE_PAGE } from '../../infra/construct/site.ts';
import { writeSiteFiles } from '../../infra/web/build.ts';
import { createDeployedSettings } from '../../infra/web/console/settings.ts';
import { createContentSecurityPolicy } from '../../infra/web/pages.ts';
import { startChromium } from '../browser/chromium.ts';
import type { Proxies } from './callers.ts';

const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
};

const FILES: Record<string, string> = { '/': 'index.html', '/docs': REFERENCE_PAGE };

/** Opens the console in a browser. The live list must show a change. */
export async function checkConsole(proxies: Proxies, folder: string): Promise<void> {
  await writeSiteFiles(folder);
  await writeFile(
    join(folder, 'console.json'),
    JSON.stringify(createDeployedSettings({}, { sortByName: true, changes: 'live' })),
  );
  await bundleOpenApiPrinter(folder);
  const printer = join(folder, `${OPENAPI_PRINTER}.mjs`);
  await writeFile(join(folder, 'openapi.json'), execFileSync(process.execPath, [printer], { input: '{}' }));
  await using origin = await serveOneOrigin(proxies, folder);
  const browser = await startChromium();
  try {
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.goto(origin.url);
    await page.getByRole('tab', { name: 'Changes' }).click();
    await page.getByRole('status', { name: 'Changes: Live' }).waitFor();
    await page.getByRole('button', { name: 'New user' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Grace Hopper');
    await page.getByLabel('Email', { exact: true }).fill('grace@example.org');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('Created Grace Hopper').waitFor();
    await page
      .getByRole('list', { name: 'Changes, latest first' })
      .getByRole('button', { name: 'Grace Hopper' })
      .waitFor();
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Reference' }).click();
    await page.getByRole('heading', { name: 'User Management Service' }).waitFor();
    deepEqual(errors, []);
  } finally {
    await browser.close();
  }
}

/** Serves the console and both APIs from one origin, as CloudFront does. */
async function serveOneOrigin({ api, graphql }: Proxies, folder: string) {
  const server = createServer((incoming, response) => {
    const path = incoming.url ?? '/';
    if (/^\/(api|v1)\/users/.test(path)) forward(api.url, incoming, response);
    else if (path === '/graphql') forward(graphql.url, incoming, response);
    else serveFile(join(folder, FILES[path] ?? path), response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, [Symbol.asyncDispose]: close };
}

function forward(base: string, incoming: IncomingMessage, response: ServerResponse): void {
  const { method, headers } = incoming;
  const outgoing = send(`${base}${incoming.url}`, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers).flushHeaders();
    answer.pipe(response);
  });
  outgoing.once('error', (error) => response.destroy(error));
  response.once('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}

async function serveFile(file: string, response: ServerResponse): Promise<void> {
  const content = await readFile(file).catch(() => undefined);
  if (!content) return void response.writeHead(404).end();
  const type = TYPES[extname(file)] ?? 'application/octet-stream';
  response
    .writeHead(200, { 'content-type': type, 'content-security-policy': createContentSecurityPolicy() })
    .end(content);
}
