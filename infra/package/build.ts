import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import type { Operation } from '../../lib/rest/operation.ts';
import { allRoutes, operations } from '../../lib/rest/operations.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { bundle, bundleOpenApiPrinter } from '../construct/bundling/bundle.ts';
import { replaceModule } from '../construct/bundling/plugins.ts';
import { bundleNames } from '../construct/grants.ts';
import { buildPage, writeSiteFiles } from '../web/build.ts';
import { writeLicenses } from './licenses.ts';
import { createClientPages, createPages, nameCommand, type Page } from './pages.ts';

const ROOT = join(import.meta.dirname, '../..');
const PACKAGE = join(ROOT, 'dist');
/** A separate package, because callers need neither functions nor CDK. */
const CLIENT = join(PACKAGE, 'client');

/** The first version with the functions' Node.js runtime. `npm run check:package -- --all` also tests this version. */
const OLDEST_CDK = '2.227.0';

/** Exports by module of infra/construct. */
const EXPORTS = { 'user-management': '{ UserManagement }', 'users-table': '{ UsersTable }', props: '*' };

/**
 * Copies the declarations of operations: importing operations.ts itself would bundle the whole service. JSON drops their
 * functions, and the construct uses no schemas.
 */
const declare = ({ body: _, queries: __, ...declaration }: Operation) => declaration;
const declaredByName = Object.entries<Operation>(operations).map(([name, operation]) => [name, declare(operation)]);
const declaredRoutes = allRoutes.map((route) => ({ ...route, operation: declare(route.operation) }));
const declaredOperations = replaceModule(
  'declared operations',
  /\/lib\/rest\/operations\.ts$/,
  `export const operations = ${JSON.stringify(Object.fromEntries(declaredByName))};
   export const allRoutes = ${JSON.stringify(declaredRoutes)};`,
);

/** Omits the file of environments: a team's CDK app has its settings in code. */
const noEnvironments = replaceModule(
  'no environments',
  /\/infra\/settings\/environment\.ts$/,
  `export const findEnvironment = () => ({ name: '', values: {} });
   export const namingEnvironment = (name, read) => read();`,
);

/** The package has no file of environments. */
const ENVIRONMENT_HINT =
  /, (?:not those|or name its environment) of infra\/settings\/environments\.ts(?: in the variable ENVIRONMENT)?| \[ENVIRONMENT\]| {2}ENVIRONMENT .*\n/g;

const scriptsAsCommands: Plugin = {
  name: 'scripts as commands',
  setup({ onLoad }) {
    onLoad({ filter: /\/infra\/scripts\/.*\.ts$/ }, async ({ path }) => ({
      contents: nameCommand(await readFile(path, 'utf8')).replaceAll(ENVIRONMENT_HINT, ''),
      loader: 'ts',
    }));
  },
};

await rm(PACKAGE, { recursive: true, force: true });
await mkdir(CLIENT, { recursive: true });
const bundles = join(PACKAGE, 'bundles');
await writeSiteFiles(join(bundles, 'site'));
const metafiles = [await bundleConstruct(), await bundle(bundleNames, bundles), await bundleOpenApiPrinter(bundles)];
const pages = await Promise.all([buildPage('console'), buildPage('reference')]);
metafiles.push(await bundleCommand());
await writeLicenses(
  [...listInputs(metafiles), ...pages.flatMap(({ modules }) => modules)],
  join(PACKAGE, 'THIRD-PARTY-LICENSES.txt'),
);
await writeLicenses(listInputs(await bundleClient()), join(CLIENT, 'THIRD-PARTY-LICENSES.txt'));
await writeTypes();
await writeManifests();
await cp(join(ROOT, 'infra/resources.sh'), join(PACKAGE, 'resources.sh'));
await writePages(createPages(), PACKAGE);
await writePages(createClientPages(), CLIENT);
for (const folder of [PACKAGE, CLIENT]) {
  await cp(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  const path = relative(process.cwd(), folder);
  console.log(`Wrote ${path}; npm pack ./${path} packs it`);
}

function listInputs(metafiles: Metafile[]): string[] {
  return metafiles.flatMap(({ outputs }) => Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs)));
}

/** Bundles CommonJS, because both CommonJS and ES modules can import it. */
async function bundleConstruct(): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    stdin: { contents: createExports('.ts'), resolveDir: ROOT, loader: 'ts' },
    outfile: join(PACKAGE, 'index.js'),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    external: ['aws-cdk-lib', 'constructs'],
    define: { 'import.meta.dirname': '__dirname' },
    minifySyntax: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
    plugins: [declaredOperations],
  });
  return metafile;
}

async function writePages(pages: Page[], folder: string): Promise<void> {
  for (const { name, text } of pages) await writeFile(join(folder, name), text);
}

async function bundleCommand(): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: { 'user-management': 'infra/package/command.ts' },
    outdir: join(PACKAGE, 'bin'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    mainFields: ['module', 'main'],
    banner: {
      js: "#!/usr/bin/env node\nimport { createRequire as createRequireOfFile } from 'node:module'; const require = createRequireOfFile(import.meta.url);",
    },
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
    plugins: [noEnvironments, scriptsAsCommands],
  });
  return metafile;
}

async function bundleClient(): Promise<Metafile[]> {
  const options: BuildOptions & { metafile: true } = {
    absWorkingDir: ROOT,
    bundle: true,
    target: 'es2022',
    mainFields: ['module', 'main'],
    minifySyntax: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  };
  const client = { ...options, entryPoints: ['lib/client/client.ts'], platform: 'neutral' as const };
  const command = `import { main } from './lib/client/types-command.ts';
main(process.argv.slice(2)).catch(({ message }) => {
  console.error(message);
  process.exitCode = 1;
});`;
  const builds = await Promise.all([
    build({ ...client, outfile: join(CLIENT, 'client.mjs'), format: 'esm' }),
    build({ ...client, outfile: join(CLIENT, 'client.js'), format: 'cjs' }),
    build({
      ...options,
      stdin: { contents: command, resolveDir: ROOT, loader: 'ts' },
      outfile: join(CLIENT, 'types.mjs'),
      banner: { js: '#!/usr/bin/env node' },
      format: 'esm',
      platform: 'node',
    }),
  ]);
  return builds.map(({ metafile }) => metafile);
}

function createExports(extension: '.ts' | '.js'): string {
  const lines = Object.entries(EXPORTS).map(
    ([file, names]) => `export ${names} from './infra/construct/${file}${extension}';\n`,
  );
  return lines.join('');
}

async function writeTypes(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'types-'));
  try {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [tsc, '-p', import.meta.dirname, '--outDir', folder], { stdio: 'inherit' });
    await writeFile(join(folder, 'index.d.ts'), createExports('.js'));
    await copyTypes(folder, 'index.d.ts', PACKAGE);
    await copyTypes(join(folder, 'lib/client'), 'client.d.ts', CLIENT);
    await writeFile(join(CLIENT, 'client.d.mts'), `export * from './client.js';\n`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function copyTypes(folder: string, file: string, to: string, copied = new Set<string>()): Promise<void> {
  copied.add(file);
  const text = await readFile(join(folder, file), 'utf8');
  const target = join(to, file);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, text.replace(/(from '\..*)\.ts';/g, "$1.js';"));
  for (const [, path = ''] of text.matchAll(/from '(\..*)\.[jt]s';/g)) {
    const imported = join(dirname(file), `${path}.d.ts`);
    if (!copied.has(imported)) await copyTypes(folder, imported, to, copied);
  }
}

async function writeManifests(): Promise<void> {
  const { version, license } = packageJson;
  const common = { version, license, type: 'commonjs', sideEffects: false, engines: { node: '>=20' } };
  await writeManifest(PACKAGE, {
    name: packageJson.name,
    ...common,
    description: 'A CDK construct: user records and their posts over REST and GraphQL, on Lambda and DynamoDB.',
    keywords: ['aws', 'aws-cdk', 'cdk', 'construct', 'dynamodb', 'graphql', 'lambda', 'rest', 'users'],
    main: './index.js',
    types: './index.d.ts',
    exports: {
      '.': { types: './index.d.ts', default: './index.js' },
      './package.json': './package.json',
    },
    bin: { 'user-management': './bin/user-management.mjs' },
    files: [
      'bin',
      'bundles',
      '/*.md',
      'index.d.ts',
      'index.js',
      'resources.sh',
      'infra',
      'lib',
      'THIRD-PARTY-LICENSES.txt',
    ],
    // Yarn would keep the package in a zip file, which file copies and other processes cannot read.
    preferUnplugged: true,
    peerDependencies: { 'aws-cdk-lib': `^${OLDEST_CDK}`, constructs: '^10.0.0' },
  });
  await writeManifest(CLIENT, {
    name: 'user-management-client',
    ...common,
    description: 'A typed client of the User Management Service, for browsers, Node.js, Deno and Bun.',
    keywords: ['client', 'graphql', 'rest', 'server-sent-events', 'users'],
    main: './client.js',
    types: './client.d.ts',
    exports: {
      '.': {
        import: { types: './client.d.mts', default: './client.mjs' },
        require: { types: './client.d.ts', default: './client.js' },
      },
      './package.json': './package.json',
    },
    bin: { 'user-management-types': './types.mjs' },
    files: ['*.d.ts', 'client.*', 'types.mjs', 'THIRD-PARTY-LICENSES.txt'],
  });
}

async function writeManifest(folder: string, manifest: object): Promise<void> {
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
