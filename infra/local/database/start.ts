import { randomBytes, randomInt } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { lockFile } from '../lock-file.ts';
import {
  DATA_FILE,
  type Database,
  type EngineAddress,
  findDynamodbLocal,
  findDynoxide,
  findFreePort,
  findMissingForDynamodbLocal,
  PortInUseError,
  startEngine,
} from './engine.ts';
import { indexStreamRecords } from './stream-records.ts';

/** `dynamodb-local`: AWS's emulator, even if the embedded engine is available. */
export type Engine = 'embedded' | 'dynamodb-local';

export async function startDatabase(folder?: string, engine: Engine = 'embedded'): Promise<Database> {
  if (folder === undefined) return startOn(engine);
  createFolder(folder);
  let unlock = () => {};
  try {
    requireWritable(folder);
    unlock = lockFolder(folder);
    closeFiles(folder);
    const { stop, ...database } = await startOn(engine, folder);
    return { ...database, stop: () => stop().finally(unlock) };
  } catch (error) {
    unlock();
    throw new Error(`${folder}: ${(error as Error).message}`);
  }
}

const MAX_ATTEMPTS = 5;

async function startOn(engine: Engine, folder?: string): Promise<Database> {
  return retryOnOtherPorts(async () => {
    const address = await createEngineAddress(folder);
    const embedded = engine === 'embedded' && findDynoxide(address);
    if (embedded) return startEmbedded(embedded, address, folder);
    const command = findDynamodbLocal({ ...address, inMemory: folder === undefined });
    if (!command) throw new Error(explainNoEngine(engine, findMissingForDynamodbLocal()));
    return startEngine(command, address, folder === undefined ? undefined : { path: folder, isTemporary: false });
  });
}

/** Temporary data is also in a file, because `indexStreamRecords` cannot open an in-memory database. */
async function startEmbedded(command: string[], address: EngineAddress, folder: string | undefined): Promise<Database> {
  const isTemporary = folder === undefined;
  const path = folder ?? createTemporaryFolder();
  const file = resolve(path, DATA_FILE);
  let database: Database | undefined;
  try {
    database = await startEngine(command, address, { path, isTemporary });
    indexStreamRecords(file);
    const { stop, ...running } = database;
    return { ...running, file, stop: () => (isTemporary ? stop() : stop().then(() => removeWriteAheadLog(file))) };
  } catch (error) {
    await database?.stop();
    if (isTemporary) rmSync(path, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Writes the log into the database, and removes it: the log keeps former values of deleted and erased users. The engine
 * does so only when it closes the database, but `stopEngine` kills it.
 */
function removeWriteAheadLog(file: string): void {
  try {
    // The last connection that closes removes the log.
    const database = new DatabaseSync(file);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
  } catch (error) {
    console.error(`${file}-wal may keep deleted values: ${(error as Error).message}`);
  }
}

/** A folder in memory, which containers often limit to 64 MB. */
const MEMORY_FOLDER = '/dev/shm';
const MIN_MEMORY_BYTES = 2 ** 30;

const createTemporaryFolder = (): string => mkdtempSync(join(hasRoom() ? MEMORY_FOLDER : tmpdir(), 'user-management-'));

function hasRoom(): boolean {
  try {
    accessSync(MEMORY_FOLDER, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return bavail * bsize >= MIN_MEMORY_BYTES;
  } catch {
    return false;
  }
}

export async function retryOnOtherPorts(start: () => Promise<Database>, attempt = 1): Promise<Database> {
  try {
    return await start();
  } catch (error) {
    if (!(error instanceof PortInUseError) || attempt === MAX_ATTEMPTS) throw error;
    return retryOnOtherPorts(start, attempt + 1);
  }
}

export function explainNoEngine(engine: Engine, missing: string[]): string {
  const needs = `DynamoDB Local needs ${missing.join(' and ')}`;
  if (engine === 'dynamodb-local') return needs;
  const platform = `${process.platform}-${process.arch}`;
  return `There is no embedded database for ${platform}, and ${needs}. Or set AWS_ENDPOINT_URL_DYNAMODB to a DynamoDB`;
}

function createFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || code === 'ENOTDIR')
      throw new Error(`${folder} is not a folder: it is a file, or inside one`);
    throw new Error(`${folder}: ${message}`);
  }
}

/** In a read-only folder, the engine would start, and reject each write. */
function requireWritable(folder: string): void {
  const probe = join(folder, 'write-test');
  try {
    writeFileSync(probe, Buffer.alloc(4096));
  } catch (error) {
    throw new Error(`it cannot be written (${(error as Error).message})`);
  } finally {
    rmSync(probe, { force: true });
  }
}

/** Removes other users' access, also to copied files. */
function closeFiles(folder: string): void {
  for (const file of globSync('{access-key,webhook-secret,*.db,*.db-*}', { cwd: folder }))
    chmodSync(join(folder, file), 0o600);
}

export async function createEngineAddress(folder?: string): Promise<EngineAddress> {
  const host = createLoopbackAddress();
  const accessKeyId = folder === undefined ? createAccessKey() : readAccessKey(join(folder, 'access-key'));
  return { host, port: await findFreePort(host), accessKeyId };
}

/** On Linux, all of 127.0.0.0/8 is this machine. */
function createLoopbackAddress(): string {
  if (process.platform !== 'linux') return '127.0.0.1';
  return `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
}

/** DynamoDB Local accepts only letters and digits. */
const createAccessKey = () => randomBytes(16).toString('hex');

function readAccessKey(file: string): string {
  if (!existsSync(file)) {
    // Writes and renames a complete file, so a crash leaves no partial key.
    writeFileSync(`${file}.new`, createAccessKey(), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
  const key = readFileSync(file, 'utf8');
  if (!/^[\dA-Za-z]+$/.test(key))
    throw new Error('the file access-key is damaged: remove it. DynamoDB Local then starts with an empty table');
  return key;
}

const TIME_LIMIT_MS = 1_000;

export function lockFolder(folder: string): () => void {
  const unlock = lockFile(join(folder, 'lock.db'), TIME_LIMIT_MS);
  if (!unlock)
    throw new Error('another service or command uses it. End that one, or choose another folder with --data');
  return unlock;
}

export const findExternalDatabase = (): string | undefined =>
  process.env.AWS_ENDPOINT_URL_DYNAMODB ?? process.env.AWS_ENDPOINT_URL;

export const databaseEnvironment = ({ endpoint, accessKeyId }: Pick<Database, 'endpoint' | 'accessKeyId'>) => ({
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  AWS_ENDPOINT_URL_DYNAMODB_STREAMS: endpoint,
  AWS_REGION: 'local',
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: 'local',
});
