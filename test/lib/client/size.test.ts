import { gzipSync } from 'node:zlib';
import { type BuildOptions, build } from 'esbuild';
import { expect, test } from 'vitest';

const options = {
  bundle: true,
  format: 'esm',
  target: 'es2022',
  platform: 'neutral',
  mainFields: ['module', 'main'],
  write: false,
  metafile: true,
} satisfies BuildOptions;

const { outputFiles, metafile } = await build({ ...options, entryPoints: ['lib/client/client.ts'], minify: true });

test('the client has at most 13 kB, minified and compressed', () => {
  const bytes = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).byteLength;
  expect(bytes).toBeGreaterThan(3_000);
  expect(bytes).toBeLessThanOrEqual(13_000);
});

test('a page that imports only isTaken has only ClientError of the client', async () => {
  // The package contains one file, of which a bundler keeps all statements with effects.
  const client = await build({ ...options, entryPoints: ['lib/client/client.ts'], minifySyntax: true });
  const contents = `${client.outputFiles[0]?.text}\nglobalThis.isTaken = isTaken;`.replace(/\nexport \{[^}]+\};/, '');
  const page = await build({ ...options, stdin: { contents }, minify: true });
  const text = page.outputFiles[0]?.text ?? '';
  expect(text).toContain('SUBJECT_TAKEN');
  expect(text.length).toBeLessThan(600);
});

test('the client imports neither Node.js modules nor other code of the service', () => {
  const foreign = Object.keys(metafile.inputs).filter((path) => !/^lib\/client\/|eventsource-parser/.test(path));
  expect(foreign).toEqual([]);
});
