import { join } from 'node:path';
import { type Settings, synthesise } from './cdk.ts';
import { pythonCommands } from './python.ts';
import { run, WORK_DIR } from './run.ts';
import { checkSamSight } from './sam-sight.ts';
import { runSteps, step } from './step.ts';

/** Between them, every resource and property that a setting can bring. */
const stacks: Record<string, Settings> = {
  'by default': {},
  'with all that can be set': {
    auth: 'jwt',
    issuer: 'https://issuer.example.com/',
    audience: 'users',
    corsOrigins: 'https://app.example.com',
    alarmEmail: 'ops@example.com',
    canary: 'on',
    customerManagedKey: 'true',
  },
};

/** CDK lets functions depend on roles that they name anyhow. */
const IGNORED = ['--ignore-checks', 'W3005'];

await runSteps('the template', async () => {
  const commands = await step('cfn-lint and SAM CLI are installed', () => pythonCommands('template-tools'));
  for (const [which, settings] of Object.entries(stacks)) {
    const folder = join(WORK_DIR, 'template');
    const template = await step(`the stack ${which} is synthesised`, () => synthesise(folder, settings));
    await step('cfn-lint faults nothing', () => run(join(commands, 'cfn-lint'), ['--template', template, ...IGNORED]));
    await step('SAM finds every function and route', () => checkSamSight(commands, template));
  }
});
