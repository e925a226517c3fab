import { join } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { GRAPHQL_SERVER } from '../grants.ts';
import { slimApollo } from './apollo.ts';
import { lazyBuiltins, schemaAsText } from './plugins.ts';
import { containerCredentials, environmentCredentials, slimSdk } from './sdk.ts';

const ROOT = join(import.meta.dirname, '../../..');

/**
 * Bundles each function into `<folder>/<name>/<name>.mjs`, which exports `handler` unless it is a server. The source map
 * beside it is deployed, too, for infra/scripts/map-stack.ts; without a comment that names it, Node does not load it.
 */
export async function bundle(names: readonly string[], folder: string): Promise<Metafile> {
  const functions = names.filter((name) => name !== GRAPHQL_SERVER);
  const metafiles = [await bundleAll(functions, folder, environmentCredentials)];
  if (names.includes(GRAPHQL_SERVER)) metafiles.push(await bundleAll([GRAPHQL_SERVER], folder, containerCredentials));
  const merge = <Part extends keyof Metafile>(part: Part): Metafile[Part] =>
    Object.assign({}, ...metafiles.map((each) => each[part]));
  return { inputs: merge('inputs'), outputs: merge('outputs') };
}

async function bundleAll(names: readonly string[], folder: string, credentials: Plugin): Promise<Metafile> {
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
    plugins: [lazyBuiltins, credentials, ...slimSdk, ...slimApollo, schemaAsText],
  });
  return metafile;
}
