import { randomBytes, randomInt } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../free-port.ts';

/**
 * What a client of the database must know. The engines answer all who reach them, pages of other sites included. The
 * embedded one has only its address to hide behind. DynamoDB Local listens on every interface, but keeps the tables of
 * each access key apart, so that its key is a secret.
 */
export type Access = { host: string; port: number; accessKeyId: string };

/** The key of a folder stays with its data. */
export async function createAccess(folder?: string): Promise<Access> {
  const host = createLoopbackAddress();
  const accessKeyId = folder === undefined ? createAccessKey() : readAccessKey(join(folder, 'access-key'));
  return { host, port: await findFreePort(host), accessKeyId };
}

/** One of 16 million on Linux, where every address of 127.0.0.0/8 is this machine; elsewhere there is only one. */
function createLoopbackAddress(): string {
  if (process.platform !== 'linux') return '127.0.0.1';
  return `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
}

/** DynamoDB Local takes letters and digits only. */
const createAccessKey = () => randomBytes(16).toString('hex');

function readAccessKey(file: string): string {
  if (!existsSync(file)) {
    // Write, then rename: a crash leaves a whole key, or none.
    writeFileSync(`${file}.new`, createAccessKey(), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
  return readFileSync(file, 'utf8');
}
