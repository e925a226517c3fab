import { randomUUID } from 'node:crypto';
import type { ParseArgsOptionsConfig } from 'node:util';
import { findEnvironment, readEnvironment } from '../settings/environment.ts';
import { checkUser, createAccessPoints, type Service } from '../smoke/service.ts';
import { createStackPoints, readOutputs, type Stack } from '../smoke/stack.ts';
import { aws, findRegion } from './aws-cli.ts';
import { abortOnSignal, type Parsed, rejectArguments, runCommand } from './command.ts';
import { checkPoint, type Finding, formatFinding, type Point, summarize } from './points.ts';
import { connect, type DeploymentOptions } from './transfer/deployment.ts';
import { withPlace } from './transfer/place.ts';

const HELP = `npm run smoke -- [ENVIRONMENT] [--token TOKEN]
npm run smoke -- --url http://localhost:3000 [--graphql-url URL] [--token TOKEN]
Checks a deployed stack, and prints one line for each point: ok, note, FAILS, or ? if it was not checked. Creates one
user and deletes it, which also sends events. Exits with 0 if every point was checked and none fails. Uses the AWS CLI.

  ENVIRONMENT       an environment of infra/settings/environments.ts; by default the variable ENVIRONMENT, or default
  --url URL         checks only the APIs of a service, such as npm start
  --graphql-url URL the URL of GraphQL, if it differs from --url
  --token TOKEN     an access token that may read and write, with auth=jwt or cognito; the variable AUTH_TOKEN by default
  --help`;

const options = {
  url: { type: 'string' },
  'graphql-url': { type: 'string' },
  token: { type: 'string' },
} as const satisfies ParseArgsOptionsConfig;

type Target = { deployment: DeploymentOptions; stack?: Stack } & Pick<Service, 'rejection' | 'hasStreams'>;

const REJECTIONS = { none: 200, jwt: 401, cognito: 401, iam: 403 } as const;

const findings: Finding[] = [];

await runCommand({ options, help: HELP, failure: 'Not checked' }, async (parsed) => {
  const signal = abortOnSignal('Stopping after the deletion of the user.');
  const { deployment, stack, rejection, hasStreams } = await findTarget(parsed);
  const client = connect(deployment, { maxAttempts: 3 });
  const graphqlUrl = deployment.graphqlUrl ?? `${deployment.url.replace(/\/+$/, '')}/graphql`;
  const service: Service = { client, url: deployment.url, graphqlUrl, rejection, hasStreams, fetch, signal };
  const access = await report(createAccessPoints(service));
  if (access.every(({ kind }) => kind !== 'fails' && kind !== 'unknown')) await checkWrites(deployment, service);
  if (stack && !signal.aborted) await report(createStackPoints(stack));
  console.log(summarize(findings));
});

async function findTarget({ values, positionals: [name, ...others] }: Parsed<typeof options>): Promise<Target> {
  rejectArguments(others, HELP);
  const { url, 'graphql-url': graphqlUrl, token = process.env.AUTH_TOKEN } = values;
  if (url !== undefined) {
    if (name !== undefined) throw new Error('Use only one of ENVIRONMENT and --url');
    return { deployment: { url, graphqlUrl, token, sigv4: false }, rejection: token ? 401 : 200, hasStreams: true };
  }
  if (graphqlUrl !== undefined) throw new Error('--graphql-url requires --url');
  if (name !== undefined) process.env.ENVIRONMENT = name;
  const settings = readEnvironment(findEnvironment());
  const { auth, maxStreams, region = await findRegion() } = settings;
  if ((auth === 'jwt' || auth === 'cognito') && !token)
    throw new Error(`auth is ${auth}: pass an access token with --token or the variable AUTH_TOKEN`);
  const stack: Stack = { settings, region, aws, now: Date.now };
  const { ApiUrl, GraphqlUrl } = await readOutputs(stack);
  // GraphQL is signed in the same region.
  process.env.AWS_REGION = region;
  const deployment = { url: ApiUrl, graphqlUrl: GraphqlUrl, token, sigv4: auth === 'iam' };
  return { deployment, stack, rejection: REJECTIONS[auth], hasStreams: maxStreams !== 0 };
}

async function report(points: Point[]): Promise<Finding[]> {
  const checked: Finding[] = [];
  for (const checking of points.map(checkPoint)) checked.push(print(await checking));
  return checked;
}

function print(finding: Finding & { name: string }): Finding {
  console.log(formatFinding(finding));
  findings.push(finding);
  return finding;
}

/** Makes a user with valid values of required own fields, which the deployment declares. */
async function checkWrites({ url, graphqlUrl, token, sigv4 }: DeploymentOptions, service: Service): Promise<void> {
  const place = { url, ...(graphqlUrl ? { 'graphql-url': graphqlUrl } : {}), ...(sigv4 ? {} : { token }), sigv4 };
  await withPlace(place, async () => {
    const { faker } = await import('@faker-js/faker');
    const { createValueMaker } = await import('../own-fields/sample-values.ts');
    const { ownFields } = await import('../../lib/users/fields/values.ts');
    const all = createValueMaker()(faker);
    const required = ownFields.filter((field) => field.required);
    const values = Object.fromEntries(required.map(({ name }) => [name, all[name]]));
    const person = { ...values, name: 'Smoke test', email: `smoke-test-${randomUUID()}@example.com` };
    for await (const finding of checkUser(service, person)) print(finding);
  });
}
