import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { slimApollo } from './apollo.ts';
import { lazyBuiltins, noExamples, schemaAsText } from './plugins.ts';
import { slimSdk } from './sdk.ts';

const ROOT = join(import.meta.dirname, '../../..');

/**
 * Bundles each function into `<folder>/<name>/<name>.mjs`, which exports `handler`. The source map beside it is deployed,
 * too, for infra/scripts/map-stack.ts; without a comment that names it, Node does not load it.
 */
export async function bundle(names: readonly string[], folder: string): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: names.map((name) => ({ in: `functions/${name}.ts`, out: `${name}/${name}` })),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    minify: true,
    sourcemap: 'external',
    sourcesContent: false,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
    plugins: [lazyBuiltins, ...slimSdk, ...slimApollo, schemaAsText, noExamples],
  });
  return metafile;
}
