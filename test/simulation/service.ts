import { installGate } from './network/gate.ts';
import { virtualiseGlobals } from './environment/globals.ts';
import { forgetAll, type Patch, patchSources, SIMULATION_PATCHES } from './environment/patches.ts';
import { loadHandlers } from './handlers.ts';
import type { Service } from './simulate.ts';

/** The service in this process, with time, chance and network of the simulation. To be called once, before all else. */
export async function startService(patches: Patch[] = []): Promise<Service> {
  Object.assign(process.env, {
    AWS_REGION: 'local',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1',
    TABLE_NAME: 'users',
  });
  delete process.env.AWS_LAMBDA_INITIALIZATION_TYPE;
  patchSources([...SIMULATION_PATCHES, ...patches]);
  virtualiseGlobals();
  installGate();
  const { table } = await import('../../lib/dynamodb/client.ts');
  const handlers = await loadHandlers();
  // Nobody checks the signatures, and they take a quarter of the time.
  table.config.signer = async () => ({ sign: async (request: never) => request }) as never;
  const strategy = await table.config.retryStrategy();
  return {
    handlers,
    requestTimeout: 1_500,
    // The SDK's budget of retries is of one environment; another history has other environments.
    reset() {
      forgetAll();
      Object.assign(strategy, { capacity: 500 });
    },
  };
}
