import { deepEqual } from 'node:assert/strict';
import { join } from 'node:path';
import { installPythonTools } from '../e2e/python.ts';
import { run } from '../e2e/run.ts';
import { runSteps, step } from '../e2e/step.ts';
import { checkLog } from './check-log.ts';
import { startFuzzedService } from './service/service.ts';

const CONFIG = join(import.meta.dirname, 'schemathesis.toml');

await runSteps('Schemathesis', async () => {
  const commands = await step('install the pinned Schemathesis', () => installPythonTools('schemathesis'));
  const service = await step('start the service', startFuzzedService);
  try {
    await step('the service behaves as /openapi.json describes it', async () => {
      const options = ['--config-file', CONFIG, '--no-color', 'run', `${service.url}/openapi.json`];
      await run(join(commands, 'schemathesis'), options);
    });
    await step('the log has no address and no error', async () =>
      deepEqual((await service.takeLog()).flatMap(checkLog), []),
    );
  } finally {
    await service.stop();
  }
});
