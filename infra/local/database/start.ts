import { mkdirSync, realpathSync } from 'node:fs';
import { findFreePort } from '../free-port.ts';
import { findDynamodbLocal, findDynoxide, findMissingForDynamodbLocal } from './commands.ts';
import { type Database, startEngine } from './engine.ts';
import { lockFolder } from './lock-folder.ts';

/** `dynamodb-local` takes AWS's emulator also where there is a binary of the embedded engine. */
export type Engine = 'embedded' | 'dynamodb-local';

/** Starts a local DynamoDB on a free port of 127.0.0.1. Without a folder, data is kept in memory only. */
export async function startDatabase(folder?: string, engine: Engine = 'embedded'): Promise<Database> {
  const storage = { port: await findFreePort(), inMemory: folder === undefined };
  const command = (engine === 'embedded' && findDynoxide(storage)) || findDynamodbLocal(storage);
  if (!command) throw new Error(explainNoEngine(engine, findMissingForDynamodbLocal()));
  if (folder === undefined) return startEngine(command, storage.port);
  createFolder(folder);
  const unlock = await lockFolder(realpathSync(folder));
  try {
    const { endpoint, stop } = await startEngine(command, storage.port, folder);
    return { endpoint, stop: () => stop().finally(unlock) };
  } catch (error) {
    unlock();
    throw new Error(`${folder}: ${(error as Error).message}`);
  }
}

/** `missing` is what DynamoDB Local lacks. */
export function explainNoEngine(engine: Engine, missing: string[]): string {
  const needs = `DynamoDB Local needs ${missing.join(' and ')}`;
  if (engine === 'dynamodb-local') return needs;
  const platform = `${process.platform}-${process.arch}`;
  return `There is no embedded database for ${platform}, and ${needs}. Or set AWS_ENDPOINT_URL_DYNAMODB to a DynamoDB`;
}

function createFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || code === 'ENOTDIR') throw new Error(`${folder} is no folder, but a file or below one`);
    throw new Error(`${folder}: ${message}`);
  }
}
