import { virtualiseGlobals } from './environment/globals.ts';
import { currentInvocation } from './environment/invocation.ts';
import { forgetAll, type Patch, patchSources, SIMULATION_PATCHES } from './environment/patches.ts';
import { loadHandlers } from './handlers.ts';
import { installGate } from './network/gate.ts';
import type { Service } from './simulate.ts';

const UNREAD = ['loggerMiddleware', 'getUserAgentMiddleware', 'hostHeaderMiddleware', 'recursionDetectionMiddleware'];

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
  // Nobody reads headers, logs and signatures, and they take a third of the time.
  for (const name of UNREAD) table.middlewareStack.remove(name);
  table.config.signer = async () => ({ sign: async (request: never) => request }) as never;
  const original = await table.config.retryStrategy();
  let strategies: Record<number, typeof original> = {};
  // The SDK's budget of retries belongs to one environment.
  table.config.retryStrategy = async () => {
    const { environment = 0 } = currentInvocation() ?? {};
    const strategy = strategies[environment] ?? Object.assign(Object.create(Object.getPrototypeOf(original)), original);
    strategies[environment] = strategy;
    return strategy;
  };
  return {
    handlers,
    requestTimeout: 1_500,
    reset() {
      forgetAll();
      strategies = {};
    },
  };
}
