import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { ViteDevServer } from 'vite';
import { createContentSecurityPolicy, createPage, type Page } from '../../web/pages.ts';
import { createViteConfig } from '../../web/vite-config.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** A constant nonce protects nothing, which is acceptable during development. */
const NONCE = 'development';

/** Uses a separate port, which stays open while service processes are replaced. Returns the URL. */
export async function servePageSources(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  let vite: Promise<ViteDevServer> | undefined;
  server.on('request', async (request, response) => {
    try {
      vite ??= startVite(server, port);
      (await vite).middlewares(request, response);
    } catch (error) {
      vite = undefined;
      console.error(`Cannot serve the pages: ${(error as Error).message}`);
      response.writeHead(500).end();
    }
  });
  return `http://127.0.0.1:${port}`;
}

async function startVite(server: Server, port: number): Promise<ViteDevServer> {
  const vite = await import('vite');
  return vite.createServer({
    ...createViteConfig('/pages/'),
    html: { cspNonce: NONCE },
    server: {
      middlewareMode: true,
      // Vite's client would otherwise connect to the page's port, which belongs to the service.
      ws: { server, protocol: 'ws', host: '127.0.0.1', clientPort: port },
      // node_modules may be a link to another folder.
      fs: { allow: [ROOT, realpathSync(join(ROOT, 'node_modules'))] },
    },
  });
}

export const createSourceFiles = (url: string): ((path: string) => Promise<Page | undefined>) => {
  const policy = createContentSecurityPolicy([url.replace(/^http/, 'ws')], [`'nonce-${NONCE}'`]);
  return async (path) => {
    if (!path.startsWith('/pages/')) return undefined;
    const response = await fetch(new URL(path, url));
    if (response.status === 404) return undefined;
    const type = response.headers.get('content-type') ?? 'application/octet-stream';
    const page = createPage(type, await response.bytes(), { status: response.status });
    return { ...page, headers: { ...page.headers, 'content-security-policy': policy } };
  };
};
