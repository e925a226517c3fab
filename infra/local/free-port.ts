import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Finds a loopback port that is not in use. */
export async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo; // A TCP server's address is an AddressInfo.
  await new Promise((closed) => probe.close(closed));
  return port;
}
