import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { GRAPHQL_SERVER, OPENAPI_PRINTER } from '../grants.ts';
import { slimApollo } from './apollo.ts';
import { builtinsWithoutFiles, lazyBuiltins, loadOnFirstUse, parsedSchema } from './plugins.ts';
import { containerCredentials, environmentCredentials, slimSdk } from './sdk.ts';

const ROOT = join(import.meta.dirname, '../../..');

/**
 * Dynamic imports become separate files. Source maps are for infra/scripts/map-stack.ts: Node.js does not load them,
 * because bundles have no sourceMappingURL comment.
 */
export async function bundle(names: readonly string[], folder: string): Promise<Metafile> {
  const metafiles = await Promise.all(names.map((name) => bundleFunction(name, join(folder, name))));
  const merge = <Part extends keyof Metafile>(part: Part): Metafile[Part] =>
    Object.assign({}, ...metafiles.map((each) => each[part]));
  return { inputs: merge('inputs'), outputs: merge('outputs') };
}

async function bundleFunction(name: string, folder: string): Promise<Metafile> {
  await rm(folder, { recursive: true, force: true });
  const entry = join(ROOT, 'functions', `${name}.ts`);
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
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
    plugins: [
      lazyBuiltins,
      builtinsWithoutFiles,
      loadOnFirstUse(entry),
      name === GRAPHQL_SERVER ? containerCredentials : environmentCredentials,
      ...slimSdk,
      ...slimApollo,
      parsedSchema,
    ],
  });
  return metafile;
}

export async function bundleOpenApiPrinter(folder: string): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: { [OPENAPI_PRINTER]: 'infra/openapi/print.ts' },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    minify: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  return metafile;
}
