import { build } from 'esbuild';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CLIENT_RESULTS } from '../e2e/client-runtimes.ts';
import { startChromium } from './chromium.ts';
import { startServicePerTest } from './service-per-test.ts';
import { createUsers } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

const service = startServicePerTest([], { fill: (url) => createUsers(url, 4) });

/** The program also runs in Node.js and other runtimes. */
async function bundleProgram(): Promise<string> {
  const { outputFiles } = await build({
    ...{ entryPoints: ['test/e2e/client-program.mjs'], bundle: true, write: false, format: 'esm', target: 'es2022' },
    alias: { 'user-management-client': './lib/client/client.ts' },
  });
  return outputFiles[0]?.text ?? '';
}

test('a page of another origin lists and creates users, handles a conflict and follows changes', async () => {
  const program = await bundleProgram();
  const page = await browser.newPage();
  await page.route('**/program.mjs', (route) => route.fulfill({ contentType: 'text/javascript', body: program }));
  // Another host name, so requests need CORS.
  await page.goto(service.url.replace('localhost', '127.0.0.1'));
  const results = await page.evaluate(`import('/program.mjs').then(({ useClient }) => useClient('${service.url}'))`);
  expect(results).toEqual(CLIENT_RESULTS);
});
