import { deepEqual, equal, ok } from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };
import { checkRuntimes } from './client-runtimes.ts';
import { type App, apps } from './package-apps.ts';
import { ROOT, run } from './run.ts';
import { runSteps, step } from './step.ts';

const TOOLS = join(import.meta.dirname, 'package-tools');
const PACKAGE = join(ROOT, 'dist');
const MAX_PACKED_BYTES = 5e6;
/** The file of a command. */
const tool = (name: string) => join(TOOLS, 'node_modules', name);

/** How an app gets its packages. */
type Installation = {
  name: string;
  cdk: string;
  install(folder: string, packages: string[]): Promise<unknown>;
  apps: App[];
};

const npm = (folder: string, packages: string[]) =>
  run('npm', [
    'install',
    '--prefix',
    folder,
    '--ignore-scripts',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    ...packages,
  ]);
const pnpm = (folder: string, packages: string[]) =>
  run(process.execPath, [
    tool('pnpm/bin/pnpm.cjs'),
    'add',
    '--dir',
    folder,
    '--ignore-scripts',
    '--prefer-offline',
    ...packages,
  ]);

/**
 * Packs the construct and synthesizes apps with it, in temporary folders that know nothing of this repository: two with
 * the newest CDK, or with --all every kind of app with the oldest and the newest, and with pnpm. Uses its client in other
 * runtimes.
 */
await runSteps('the package', async () => {
  const { values } = parseArgs({ options: { all: { type: 'boolean', default: false } } });
  const folder = await mkdtemp(join(tmpdir(), 'package-'));
  try {
    await step('install publint, Are The Types Wrong, tsx, ts-node and the runtimes of the client', () =>
      run('npm', ['ci', '--ignore-scripts', '--prefix', TOOLS]),
    );
    await step('build the package', () => run(process.execPath, [join(ROOT, 'infra/package/build.ts')]));
    const tarball = await step('pack it', () => pack(folder));
    await step('publint has no suggestion', async () => {
      const output = await run(process.execPath, [tool('publint/src/cli.js'), PACKAGE, '--strict']);
      ok(output.includes('All good!'), output);
    });
    await step('types resolve in every kind of module', () =>
      run(process.execPath, [tool('@arethetypeswrong/cli/dist/index.js'), tarball]),
    );
    const oldest = await readOldestCdk();
    const places: string[] = [];
    for (const each of listInstallations(values.all, oldest))
      places.push(await checkInstallation(folder, tarball, each));
    await checkRuntimes(places[0] ?? folder, tool);
  } finally {
    await rm(folder, { recursive: true });
  }
});

function listInstallations(all: boolean, oldest: string): Installation[] {
  const every = apps(tool);
  const newest = { name: 'npm', cdk: 'latest', install: npm, apps: all ? every : every.slice(0, 2) };
  if (!all) return [newest];
  return [newest, { ...newest, cdk: oldest }, { name: 'pnpm', cdk: 'latest', install: pnpm, apps: every }];
}

/** The tarball, which has nothing but what the manifest lists. */
async function pack(folder: string): Promise<string> {
  const [packed] = JSON.parse(await run('npm', ['pack', '--json', '--pack-destination', folder, PACKAGE]));
  ok(packed.size <= MAX_PACKED_BYTES, `The package has ${packed.size} bytes`);
  const roots = new Set(packed.files.map(({ path }: { path: string }) => path.split('/')[0]));
  deepEqual([...roots].toSorted(), [
    ...['LICENSE', 'README.md', 'THIRD-PARTY-LICENSES.txt', 'bundles'],
    ...['client.d.mts', 'client.d.ts', 'client.js', 'client.mjs', 'index.d.ts', 'index.js'],
    ...['infra', 'lib', 'package.json', 'table-guard.cjs', 'types.mjs'],
  ]);
  const manifest = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8'));
  deepEqual([manifest.version, manifest.dependencies, manifest.scripts], [packageJson.version, undefined, undefined]);
  const code = await readFile(join(PACKAGE, 'index.js'), 'utf8');
  const required = [...code.matchAll(/require\("([^"]+)"\)/g)].map(([, name = '']) => name);
  // Anything else would be a dependency, or a private path of aws-cdk-lib.
  deepEqual(
    required.filter((name) => !/^(node:\w+|constructs|aws-cdk-lib(\/aws-[\w-]+)?)$/.test(name)),
    [],
  );
  return join(folder, packed.filename);
}

async function readOldestCdk(): Promise<string> {
  const { peerDependencies } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8'));
  return peerDependencies['aws-cdk-lib'].replace('^', '');
}

/** Returns the folder in which it is installed. */
async function checkInstallation(
  folder: string,
  tarball: string,
  { name, cdk, install, apps }: Installation,
): Promise<string> {
  const place = join(folder, `${name}-${cdk}`);
  await mkdir(place);
  await writeFile(join(place, 'package.json'), '{ "name": "team", "private": true }');
  await step(`${name} installs it beside aws-cdk-lib ${cdk}`, () =>
    install(place, [tarball, `aws-cdk-lib@${cdk}`, 'constructs@^10']),
  );
  for (const app of apps) await step(`${app.name}: synthesized`, () => checkApp(place, app));
  return place;
}

/** Synthesizes an app, and checks its types if it has some. Throws unless the functions' code is in the assembly. */
async function checkApp(place: string, { name, type, file, text, command }: App): Promise<void> {
  const folder = join(place, name.replaceAll(/\W+/g, '-'));
  const outdir = join(folder, 'cdk.out');
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'app', private: true, type }));
  await writeFile(join(folder, file), text);
  if (file.endsWith('.ts')) await checkTypes(folder, type);
  const [script = '', ...args] = command;
  await run(
    process.execPath,
    [script.startsWith('/') ? script : join(folder, script), ...args.map((each) => join(folder, each))],
    {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      CDK_OUTDIR: outdir,
      CDK_VALIDATION: 'false',
      TS_NODE_PROJECT: join(folder, 'tsconfig.json'),
    },
  );
  const { Resources } = JSON.parse(await readFile(join(outdir, 'Identity.template.json'), 'utf8'));
  const types = Object.values(Resources as Record<string, { Type: string }>).map(({ Type }) => Type);
  equal(types.filter((each) => each === 'AWS::DynamoDB::GlobalTable').length, 2);
  const files = await readdir(outdir, { recursive: true });
  const graphql = files.find((path) => path.endsWith('graphql.mjs'));
  ok(graphql && (await stat(join(outdir, graphql))).size > 100_000, 'the code of the functions is missing');
  ok(
    files.some((path) => path.endsWith('fields.json')),
    'the own fields are missing',
  );
}

async function checkTypes(folder: string, type: App['type']): Promise<void> {
  const compilerOptions = {
    ...{ module: type === 'module' ? 'nodenext' : 'commonjs', target: 'es2022', strict: true, noEmit: true },
    ...(type === 'module' ? {} : { moduleResolution: 'node10', esModuleInterop: true }),
    typeRoots: [tool('@types')],
    types: ['node'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['app.ts'] }));
  await run(process.execPath, [tool('typescript/bin/tsc'), '-p', folder]);
}
