import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Finds a port of this machine that is not in use. */
export async function findFreePort(host = '127.0.0.1'): Promise<number> {
  const probe = createServer().listen(0, host);
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo; // A TCP server's address is an AddressInfo.
  await new Promise((closed) => probe.close(closed));
  return port;
}
