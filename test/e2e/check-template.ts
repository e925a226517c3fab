import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findCodeBlocks } from '../setup/markdown.ts';
import { type Settings, synthesize } from './cdk.ts';
import { installPythonTools } from './python.ts';
import { run, WORK_DIR } from './run.ts';
import { checkSamView } from './sam-view.ts';
import { runSteps, step } from './step.ts';

/** Covers every resource and property that depends on a setting. */
const stacks: Record<string, Settings> = {
  'by default': {},
  'with all settings': {
    auth: 'jwt',
    graphqlConcurrency: '50',
    concurrency: '1000',
    issuer: 'https://issuer.example.com/',
    audience: 'users',
    corsOrigins: 'https://app.example.com',
    alarmEmail: 'ops@example.com',
    canary: 'on',
    customerManagedKey: 'true',
    deletionProtection: 'off',
    tracing: 'on',
    events: 'on',
    webhookUrl: 'https://crm.example.com/hook',
    historyDays: '30',
    console: 'on',
    siteLogs: 'on',
  },
  'with a web function': { auth: 'none', subscriptions: 'web-function' },
};

/** One script, because the commands share variables. */
async function checkCommands(commands: string): Promise<void> {
  const script = join(WORK_DIR, 'commands.sh');
  const pages = await Promise.all(
    ['README', 'runbook', 'identity-providers', 'access', 'first-deployment'].map((page) =>
      readFile(`infra/${page}.md`, 'utf8'),
    ),
  );
  const blocks = pages.flatMap((page) => findCodeBlocks(page, 'sh'));
  await writeFile(script, ['#!/usr/bin/env bash', ...blocks].join('\n'));
  // SC2218: pages source resources.sh again, so its functions are defined twice.
  await run(join(commands, 'shellcheck'), ['--external-sources', '--exclude', 'SC2218', script]);
}

/** Prints resources that an upgrade would lose. Stores the resources of a new `release` for later upgrades. */
async function checkVariants(commands: string, folder: string, release: string[]): Promise<void> {
  const script = join(import.meta.dirname, 'template/check.py');
  console.log((await run(join(commands, 'python'), ['-B', script, folder, ...release])).trim());
}

await runSteps('the template', async () => {
  const variants = join(WORK_DIR, 'variants');
  const [commands, shellCommands] = await Promise.all([
    step('install cfn-lint, parliament and SAM CLI', () => installPythonTools('template-tools')),
    step('install shellcheck', () => installPythonTools('shell-tools')),
    step('synthesize all variants', () =>
      run(process.execPath, [join(import.meta.dirname, 'template/variants.ts'), variants]),
    ),
  ]);
  await step('service models, metrics, quotas, policies, regions and upgrades', () =>
    checkVariants(commands, variants, process.argv.slice(2)),
  );
  for (const [which, settings] of Object.entries(stacks)) {
    const folder = join(WORK_DIR, 'template');
    const template = await step(`synthesize the stack ${which}`, () => synthesize(folder, settings));
    await step('SAM finds every function and route', () => checkSamView(commands, template, settings));
  }
  await step('shellcheck finds no errors in the runbook', () => checkCommands(shellCommands));
});
