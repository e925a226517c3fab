import { setTimeout as sleep } from 'node:timers/promises';
import packageJson from '../../package.json' with { type: 'json' };
import { provideOwnFields } from '../own-fields/provide.ts';
import { explainDamage } from './database/engine-errors.ts';
import { setUpLogs } from './logs.ts';
import { endWithNpm, findNpm } from './npm.ts';
import { createOpenWarning, HELP, type Options, readOptions } from './options.ts';
import type { ServedRequest } from './served-request.ts';
import { provideSettings } from './settings.ts';

try {
  const args = process.argv.slice(2);
  if (args.some((arg) => /^(--help|-h)$/.test(arg))) console.log(HELP);
  else if (args.some((arg) => /^(--version|-v)$/.test(arg))) console.log(packageJson.version);
  else await run(readOptions(args));
} catch (error) {
  console.error(`Not started: ${explainDamage((error as Error).message)}`);
  process.exit(1);
}

async function run(options: Options): Promise<void> {
  const npm = findNpm();
  const warning = createOpenWarning(options);
  if (warning) console.warn(warning);
  if (options.reload) return (await import('./dev/reload.ts')).runWithReload(options, npm);
  provideOwnFields(options.fields);
  const settings = provideSettings(options);
  const { createBanner, startService } = await import('./service.ts');
  let log = (_: ServedRequest) => {};
  const service = await startService(options, { settings, onResponse: (served) => log(served) });
  console.log(createBanner(service, performance.now()));
  log = setUpLogs();
  const end = async () => {
    await Promise.race([service.stop(), sleep(3_000, undefined, { ref: false })]);
    process.exit(0);
  };
  process.once('SIGINT', end).once('SIGTERM', end);
  endWithNpm(npm, end);
}
