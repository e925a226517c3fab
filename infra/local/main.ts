import { setTimeout as sleep } from 'node:timers/promises';
import { logAsLambda } from './log.ts';
import { createOpenWarning, readOptions } from './options.ts';
import { startService } from './service.ts';

try {
  const options = readOptions(process.argv.slice(2));
  const service = await startService(options);
  console.log(`User Management Service
  REST, enveloped  ${service.url}/api/users
  REST, bare       ${service.url}/v1/users
  GraphQL          ${service.url}/graphql
In a browser: ${service.url}/ (data: ${service.data})`);
  const warning = createOpenWarning(options);
  if (warning) console.warn(warning);
  logAsLambda();
  const end = async () => {
    await Promise.race([service.stop(), sleep(3_000, undefined, { ref: false })]);
    process.exit(0);
  };
  process.once('SIGINT', end).once('SIGTERM', end);
} catch (error) {
  console.error(`Not started: ${(error as Error).message}`);
  process.exit(1);
}
