import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const { outputFiles, metafile } = await build({
  entryPoints: ['lib/client/client.ts'],
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  platform: 'neutral',
  mainFields: ['module', 'main'],
  write: false,
  metafile: true,
});

test('the client has at most 11 kB, minified and compressed', () => {
  const bytes = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).byteLength;
  expect(bytes).toBeGreaterThan(3_000);
  expect(bytes).toBeLessThanOrEqual(11_000);
});

test('the client imports neither Node.js modules nor other code of the service', () => {
  const foreign = Object.keys(metafile.inputs).filter((path) => !/^lib\/client\/|eventsource-parser/.test(path));
  expect(foreign).toEqual([]);
});
