import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../../lib/client/client.ts';

const TSC = resolve('node_modules/typescript/bin/tsc');
const folder = mkdtempSync(join('node_modules', '.documentation-'));
let editor: LanguageServer;

/** Creates a folder without sources, like the published package. */
beforeAll(async () => {
  execFileSync(process.execPath, [TSC, '-p', 'infra/package', '--outDir', folder]);
  editor = await LanguageServer.start();
});
afterAll(async () => {
  await editor.stop();
  rmSync(folder, { recursive: true });
});

/** https://microsoft.github.io/language-server-protocol */
class LanguageServer {
  readonly #process = spawn(process.execPath, [TSC, '--lsp', '--stdio'], { stdio: ['pipe', 'pipe', 'ignore'] });
  readonly #pending = new Map<number, (result: unknown) => void>();

  static async start(): Promise<LanguageServer> {
    const server = new LanguageServer();
    server.#readAnswers();
    const capabilities = { textDocument: { hover: { contentFormat: ['markdown'] } } };
    await server.#request('initialize', { processId: process.pid, rootUri: null, capabilities });
    server.#send({ method: 'initialized', params: {} });
    return server;
  }

  /** Returns the documentation shown for the last letter of `text`. */
  async hover(text: string): Promise<string> {
    const uri = pathToFileURL(join(resolve(folder), `${this.#pending.size}-${text.length}.ts`)).href;
    const program = `import { createClient } from './lib/client/client.js';\nconst client = createClient({ baseUrl: '' });\n${text};`;
    const textDocument = { uri, languageId: 'typescript', version: 1, text: program };
    this.#send({ method: 'textDocument/didOpen', params: { textDocument } });
    const position = { line: 2, character: text.length - 1 };
    const hover = await this.#request('textDocument/hover', { textDocument: { uri }, position });
    this.#send({ method: 'textDocument/didClose', params: { textDocument: { uri } } });
    return JSON.stringify(hover);
  }

  async stop(): Promise<void> {
    const exited = new Promise((done) => this.#process.on('exit', done));
    this.#process.kill();
    await exited;
  }

  #send(message: object): void {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.#process.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  #request(method: string, params: object): Promise<unknown> {
    const id = this.#pending.size;
    return new Promise((done) => {
      this.#pending.set(id, done);
      this.#send({ id, method, params });
    });
  }

  #readAnswers(): void {
    let received = Buffer.alloc(0);
    this.#process.stdout.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      for (;;) {
        const start = received.indexOf('\r\n\r\n') + 4;
        const length = Number(/Content-Length: (\d+)/i.exec(received.toString('latin1', 0, start))?.[1]);
        if (start < 4 || received.length < start + length) return;
        const { id, method, result } = JSON.parse(received.toString('utf8', start, start + length));
        received = received.subarray(start + length);
        // Answers requests of the server, e.g. for settings.
        if (method !== undefined && id !== undefined) this.#send({ id, result: null });
        else if (id !== undefined) this.#pending.get(id)?.(result);
      }
    });
  }
}

const { users, posts, erasures, ...rest } = createClient({ baseUrl: '' });
const members = [
  ...Object.keys({ users, posts, erasures, ...rest }),
  ...Object.entries({ users, posts, erasures }).flatMap(([noun, operations]) =>
    Object.keys(operations).map((name) => `${noun}.${name}`),
  ),
];

test.each(members)('editors show what client.%s does', async (member) => {
  const shown = await editor.hover(`client.${member}`);
  expect(shown).toMatch(/```\\n[A-Z].+\./);
});

test('editors show what an option does', async () => {
  expect(await editor.hover("createClient({ baseUrl: '', graphqlUrl")).toContain('URL of GraphQL');
});
