import { mkdirSync } from 'node:fs';
import { createAccess } from './access.ts';
import { findDynamodbLocal, findDynoxide, findMissingForDynamodbLocal } from './commands.ts';
import { type Database, startEngine } from './engine.ts';
import { lockFolder } from './lock-folder.ts';

/** `dynamodb-local` takes AWS's emulator also where there is a binary of the embedded engine. */
export type Engine = 'embedded' | 'dynamodb-local';

/** Starts a local DynamoDB where only this service finds it. Without a folder, data is kept in memory only. */
export async function startDatabase(folder?: string, engine: Engine = 'embedded'): Promise<Database> {
  if (folder === undefined) return startOn(engine);
  createFolder(folder);
  let unlock = () => {};
  try {
    unlock = lockFolder(folder);
    const { stop, ...database } = await startOn(engine, folder);
    return { ...database, stop: () => stop().finally(unlock) };
  } catch (error) {
    unlock();
    throw new Error(`${folder}: ${(error as Error).message}`);
  }
}

async function startOn(engine: Engine, folder?: string): Promise<Database> {
  const access = await createAccess(folder);
  const options = { ...access, inMemory: folder === undefined };
  const command = (engine === 'embedded' && findDynoxide(options)) || findDynamodbLocal(options);
  if (!command) throw new Error(explainNoEngine(engine, findMissingForDynamodbLocal()));
  return startEngine(command, access, folder);
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
    // Only for this person: the engines write files that everybody can read.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || code === 'ENOTDIR') throw new Error(`${folder} is no folder, but a file or below one`);
    throw new Error(`${folder}: ${message}`);
  }
}
