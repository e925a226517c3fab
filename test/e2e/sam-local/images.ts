import { copyFile, cp, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { findDynoxide } from '../../../infra/local/database/engine.ts';
import { run } from '../run.ts';
import { installRuntimeClient } from './runtime-client.ts';

const SOURCES = join(import.meta.dirname, 'images');

export const DATABASE_IMAGE = 'docker.io/amazon/dynamodb-local';

/** The Containerfile is in images/. */
type Build = (name: string, folder: string) => Promise<unknown>;

/** Builds from local files, so no image registry is needed. */
export async function buildImages(build: Build, folder: string): Promise<void> {
  const database = join(folder, 'database');
  const lambda = join(folder, 'lambda');
  await copyDatabaseFiles(database);
  await copyLambdaFiles(lambda);
  await build(DATABASE_IMAGE, database);
  await build('public.ecr.aws/lambda/nodejs:24-x86_64', lambda);
}

async function copyDatabaseFiles(folder: string): Promise<void> {
  const [engine] = findDynoxide({ host: '0.0.0.0', port: 8000 }) ?? [];
  if (!engine) throw new Error('The images can be replaced on Linux x64 only. Elsewhere, this needs Docker');
  await cp(join(SOURCES, 'database'), folder, { recursive: true });
  await copyFile(await findCommand('busybox'), join(folder, 'sh'));
  await copyFile(engine, join(folder, 'engine'));
}

async function copyLambdaFiles(folder: string): Promise<void> {
  await cp(join(SOURCES, 'lambda'), folder, { recursive: true });
  await copyFile(await installRuntimeClient(), join(folder, 'runtime/index.mjs'));
  for (const name of ['bin', 'lib', 'tmp']) await mkdir(join(folder, name));
  const busybox = await findCommand('busybox');
  for (const name of ['sh', 'mv', 'chmod']) await copyFile(busybox, join(folder, 'bin', name));
  await copyFile(process.execPath, join(folder, 'bin/node'));
  for (const library of await listLibraries(process.execPath))
    await copyFile(library, join(folder, 'lib', basename(library)));
}

const findCommand = async (name: string) => (await run('bash', ['-c', `command -v ${name}`])).trim();

/** ldd prints `libm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f…)`, or only a path. */
const listLibraries = async (program: string) => (await run('ldd', [program])).match(/\/\S+/g) ?? [];
