import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/**
 * Keeps other services out of a folder of data as long as this process lives, however it ends: it listens to a socket
 * whose name follows from the folder's. Returns a function that lets them in again.
 */
export async function lockFolder(folder: string): Promise<() => void> {
  const address = getAddress(folder);
  const owner = await readOwner(address);
  if (owner)
    throw new Error(`${folder} is used by process ${owner}. Choose another folder with --data, or take --memory`);
  // Of a process that was killed.
  rmSync(address, { force: true });
  const server = createServer((socket) => socket.end(String(process.pid))).listen(address);
  await once(server, 'listening');
  server.unref();
  return () => server.close();
}

function getAddress(folder: string): string {
  const name = `user-management-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

/** The number of the process that listens, if there is one. */
const readOwner = (address: string): Promise<string | undefined> => text(connect(address)).catch(() => undefined);
