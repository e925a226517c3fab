import { existsSync, readFileSync } from 'node:fs';
import type { ParseArgsOptionsConfig } from 'node:util';
import { type Account, createFirstPoints, createPoints } from '../preflight/points.ts';
import { findEnvironment, namingEnvironment } from '../settings/environment.ts';
import { readSettings, settings } from '../settings/settings.ts';
import { aws, findRegion } from './aws-cli.ts';
import { type Parsed, rejectArguments, runCommand } from './command.ts';
import { checkPoint, formatFinding, summarize } from './points.ts';

const HELP = `npm run preflight -- [ENVIRONMENT] [-c SETTING=VALUE]
Looks at the AWS account before a deploy, and changes nothing. Prints one line for each point: ok, note, FAILS, or ? if
it was not checked. Exits with 0 if every point was checked and none fails. Uses the AWS CLI, with its credentials.

  ENVIRONMENT       an environment of infra/settings/environments.ts; by default the variable ENVIRONMENT, or default
  -c SETTING=VALUE  a setting, as for cdk deploy. Repeatable
  --help`;

const options = {
  context: { type: 'string', short: 'c', multiple: true, default: [] },
} as const satisfies ParseArgsOptionsConfig;

const QUALIFIER = '@aws-cdk/core:bootstrapQualifier';
/** Of the CDK CLI. */
const DEFAULT_QUALIFIER = 'hnb659fds';

await runCommand({ options, help: HELP, failure: 'Not checked' }, async (parsed) => {
  const given = read(parsed);
  const region = given.settings.region ?? (await findRegion());
  const account: Account = { ...given, region, aws, fetch, now: Date.now };
  const findings = await Promise.all(createFirstPoints(account).map(checkPoint));
  for (const finding of findings) console.log(formatFinding(finding));
  const hasAccess = findings.every(({ kind }) => kind === 'fine');
  if (hasAccess)
    for (const checking of createPoints(account).map(checkPoint)) {
      const finding = await checking;
      console.log(formatFinding(finding));
      findings.push(finding);
    }
  console.log(hasAccess ? summarize(findings) : `${summarize(findings)}. The others need these first`);
});

function read({ values, positionals: [name, ...others] }: Parsed<typeof options>) {
  rejectArguments(others, HELP);
  if (name !== undefined) process.env.ENVIRONMENT = name;
  const { name: environment, values: declared } = findEnvironment();
  if (environment === '') rejectArguments(name === undefined ? [] : [name], HELP);
  const context = { ...readCdkContext(), ...Object.fromEntries(values.context.map(parseSetting)) };
  const settings = namingEnvironment(environment, () => readSettings({ ...declared, ...context }));
  return { settings, qualifier: String(context[QUALIFIER] ?? DEFAULT_QUALIFIER) };
}

function parseSetting(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new Error(`-c is ${text}; expected: a setting and its value, as in -c auth=jwt`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** In a team's own CDK app, other values of the context are not settings. */
function readCdkContext(): Record<string, unknown> {
  const { context = {} } = existsSync('cdk.json') ? JSON.parse(readFileSync('cdk.json', 'utf8')) : {};
  const known = [...Object.keys(settings.shape), QUALIFIER];
  return Object.fromEntries(Object.entries(context).filter(([name]) => known.includes(name)));
}
