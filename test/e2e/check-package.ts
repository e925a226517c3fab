import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };
import { checkRuntimes } from './client-runtimes.ts';
import { type App, apps } from './package-apps.ts';
import { ROOT, run } from './run.ts';
import { runSteps, step } from './step.ts';

const TOOLS = join(import.meta.dirname, 'package-tools');
const PACKAGE = join(ROOT, 'dist');
const CLIENT = join(PACKAGE, 'client');
const MAX_PACKED_BYTES = 6.5e6;
const MAX_CLIENT_BYTES = 70e3;

const CLIENT_APP = `import { createClient, isEmailTaken } from 'user-management-client';
type Fields = { nickname?: string; plan: 'free' | 'pro' };
const { users } = createClient<Fields>({ baseUrl: 'https://users.example.com', fields: ['nickname', 'plan'] });
export const readPlan = async (): Promise<'free' | 'pro' | undefined> => (await users.get('x'))?.plan;
if (isEmailTaken(users)) throw new Error('This is no error');
`;
const tool = (name: string) => join(TOOLS, 'node_modules', name);

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

/** Synthesizes two kinds of apps with the newest CDK. `--all` adds other kinds, the oldest CDK, and pnpm. */
await runSteps('the package', async () => {
  const { values } = parseArgs({ options: { all: { type: 'boolean', default: false } } });
  const folder = await mkdtemp(join(tmpdir(), 'package-'));
  try {
    await step('install publint, Are The Types Wrong, tsx, ts-node and the runtimes of the client', () =>
      run('npm', ['ci', '--ignore-scripts', '--prefix', TOOLS]),
    );
    await step('build the packages', () => run(process.execPath, [join(ROOT, 'infra/package/build.ts')]));
    const tarball = await step('pack the construct', () => packConstruct(folder));
    const client = await step('pack the client', () => packClient(folder));
    for (const [source, packed] of [
      [PACKAGE, tarball],
      [CLIENT, client],
    ] as const) {
      await step(`publint has no suggestion for ${basename(packed)}`, async () => {
        const output = await run(process.execPath, [tool('publint/src/cli.js'), source, '--strict']);
        ok(output.includes('All good!'), output);
      });
      await step('types resolve in every kind of module', () =>
        run(process.execPath, [tool('@arethetypeswrong/cli/dist/index.js'), packed]),
      );
    }
    const place = await checkClient(folder, client);
    await checkRuntimes(place, tool);
    const oldest = await readOldestCdk();
    for (const each of listInstallations(values.all, oldest)) await checkInstallation(folder, tarball, each);
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

/** The tarball must contain only what package.json lists. */
async function pack(source: string, folder: string, maxBytes: number): Promise<{ tarball: string; roots: string[] }> {
  const [packed] = JSON.parse(await run('npm', ['pack', '--json', '--pack-destination', folder, source]));
  ok(packed.size <= maxBytes, `The package has ${packed.size} bytes`);
  const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'));
  deepEqual([manifest.version, manifest.dependencies, manifest.scripts], [packageJson.version, undefined, undefined]);
  const roots = new Set<string>(packed.files.map(({ path }: { path: string }) => path.split('/')[0]));
  return { tarball: join(folder, packed.filename), roots: [...roots].toSorted() };
}

async function packConstruct(folder: string): Promise<string> {
  const { tarball, roots } = await pack(PACKAGE, folder, MAX_PACKED_BYTES);
  deepEqual(roots, [
    ...['LICENSE', 'README.md', 'THIRD-PARTY-LICENSES.txt', 'access.md', 'analytics.md', 'bin', 'bundles'],
    ...['erase.md', 'events.md', 'identity-providers.md', 'index.d.ts', 'index.js', 'infra', 'lib'],
    ...['own-fields.md', 'package.json', 'resources.sh', 'runbook.md', 'transfer.md'],
  ]);
  const { preferUnplugged } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8'));
  equal(preferUnplugged, true, "Yarn Plug'n'Play must unpack the package: the construct copies its bundles");
  const code = await readFile(join(PACKAGE, 'index.js'), 'utf8');
  const required = [...code.matchAll(/require\("([^"]+)"\)/g)].map(([, name = '']) => name);
  // Any other import is an undeclared dependency, or a private path of aws-cdk-lib.
  deepEqual(
    required.filter((name) => !/^(node:[\w/]+|constructs|aws-cdk-lib(\/aws-[\w-]+)?)$/.test(name)),
    [],
  );
  return tarball;
}

async function packClient(folder: string): Promise<string> {
  const { tarball, roots } = await pack(CLIENT, folder, MAX_CLIENT_BYTES);
  deepEqual(
    roots.filter((name) => !name.endsWith('.d.ts')),
    [
      ...['LICENSE', 'README.md', 'THIRD-PARTY-LICENSES.txt'],
      ...['client.d.mts', 'client.js', 'client.mjs', 'package.json', 'types.mjs'],
    ],
  );
  return tarball;
}

/** Tests an installed client. Returns its folder. */
async function checkClient(folder: string, tarball: string): Promise<string> {
  const place = join(folder, 'caller');
  await mkdir(place);
  await writeFile(join(place, 'package.json'), '{ "name": "caller", "private": true }');
  await step('npm installs the client, and nothing else', async () => {
    await npm(place, [tarball]);
    const installed = await readdir(join(place, 'node_modules'));
    deepEqual(
      installed.filter((name) => !name.startsWith('.')),
      ['user-management-client'],
    );
  });
  for (const type of ['commonjs', 'module'] as const)
    await step(`the types of the client are right in TypeScript, ${type}`, async () => {
      const app = join(place, type);
      await mkdir(app);
      await writeFile(join(app, 'package.json'), JSON.stringify({ name: 'app', private: true, type }));
      await writeFile(join(app, 'app.ts'), CLIENT_APP);
      await checkTypes(app, type);
    });
  await step('its command says how it is used', async () => {
    const output = await run(process.execPath, [join(place, 'node_modules/.bin/user-management-types'), '--help']);
    ok(output.includes('openapi.json'), output);
  });
  return place;
}

async function readOldestCdk(): Promise<string> {
  const { peerDependencies } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8'));
  return peerDependencies['aws-cdk-lib'].replace('^', '');
}

async function checkInstallation(
  folder: string,
  tarball: string,
  { name, cdk, install, apps }: Installation,
): Promise<void> {
  const place = join(folder, `${name}-${cdk}`);
  await mkdir(place);
  await writeFile(join(place, 'package.json'), '{ "name": "team", "private": true }');
  await step(`${name} installs it beside aws-cdk-lib ${cdk}`, () =>
    install(place, [tarball, `aws-cdk-lib@${cdk}`, 'constructs@^10']),
  );
  await step('its command runs the scripts of the runbook, which is beside it', () => checkCommand(place));
  for (const app of apps) await step(`${app.name}: synthesized`, () => checkApp(place, app));
}

/** Runs scripts as far as possible without a table. */
async function checkCommand(place: string): Promise<void> {
  const command = join(place, 'node_modules/.bin/user-management');
  const page = await readFile(join(place, 'node_modules', packageJson.name, 'runbook.md'), 'utf8');
  const named = new Set([...page.matchAll(/npx user-management ([\w-]+)/g)].map(([, name = '']) => name));
  deepEqual([...named].toSorted(), [
    'check-table',
    'erase',
    'export',
    'import',
    'map-stack',
    'purge-field',
    'redrive',
    'relink',
  ]);
  for (const name of [...named, 'preflight']) {
    const help = await run(process.execPath, [command, name, '--help']);
    ok(help.startsWith(`npx user-management ${name} `), help);
  }
  await rejects(
    run(process.execPath, [command, 'check-table', '--table', 'users'], {
      ...{ PATH: process.env.PATH, AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' },
      ...{ AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1' },
    }),
    /Not checked: connect ECONNREFUSED/,
  );
}

/** The assembly must contain the functions' code. */
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
  const graphql = files.find((path) => basename(path) === 'graphql.mjs');
  ok(graphql, 'the function graphql is missing');
  const code = files.filter((path) => dirname(path) === dirname(graphql) && path.endsWith('.mjs'));
  const sizes = await Promise.all(code.map(async (path) => (await stat(join(outdir, path))).size));
  ok(sizes.reduce((sum, size) => sum + size, 0) > 100_000, 'the code of the function graphql is missing');
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
