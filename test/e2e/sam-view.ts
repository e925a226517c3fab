import { deepEqual } from 'node:assert/strict';
import { join } from 'node:path';
import * as z from 'zod';
import { grants } from '../../infra/construct/grants.ts';
import { operationNames, operations, routes } from '../../lib/rest/operations.ts';
import { listRouteMethods } from '../../lib/rest/requests.ts';
import { responseFormats } from '../../lib/rest/responses.ts';
import type { Settings } from './cdk.ts';
import { createCleanEnvironment } from './environment.ts';
import { run } from './run.ts';

const samView = z.object({
  functions: z.record(z.string(), z.object({ handler: z.string(), runtime: z.string(), hasCode: z.boolean() })),
  routes: z.array(z.object({ route: z.string(), function: z.string(), payload: z.string() })),
});

const formatHandler = (name: string) => `${name}.handler`;

/** SAM must find every function's code, and every route's function. */
export async function checkSamView(commands: string, template: string, settings: Settings): Promise<void> {
  const env = { ...createCleanEnvironment(), SAM_CLI_TELEMETRY: '0' };
  const script = join(import.meta.dirname, 'sam_view.py');
  const { functions, routes } = samView.parse(JSON.parse(await run(join(commands, 'python'), [script, template], env)));
  const found = Object.values(functions)
    .map(({ handler, runtime, hasCode }) => ({ handler, runtime, hasCode }))
    // CDK's custom resources have inline code.
    .filter(({ handler }) => handler !== 'index.handler');
  deepEqual(
    new Set(found),
    new Set(
      listExpectedFunctions(settings).map((name) => ({
        handler: formatHandler(name),
        runtime: 'nodejs24.x',
        hasCode: true,
      })),
    ),
    'SAM does not find the functions of the stack',
  );
  deepEqual(
    Object.fromEntries(routes.map(({ route, function: id, payload }) => [route, [functions[id]?.handler, payload]])),
    Object.fromEntries(listExpectedRoutes()),
    'SAM does not find the routes of the API',
  );
}

/** SAM does not support web functions. */
const listExpectedFunctions = ({ events, webhookUrl, subscriptions }: Settings): string[] =>
  Object.keys(grants).filter((name) => {
    // No stack has own records (`/users/me`).
    if (name in operations && !operationNames.some((offered) => offered === name)) return false;
    if (name === 'publish-events') return events === 'on';
    if (name === 'post-webhook') return webhookUrl !== undefined;
    return name !== 'graphql' || subscriptions !== 'web-function';
  });

const listExpectedRoutes = () =>
  routes.flatMap(({ functionName, operation }) =>
    responseFormats.flatMap(({ path }) =>
      listRouteMethods(operation)
        // The gateway itself answers OPTIONS.
        .filter((method) => method !== 'OPTIONS')
        .map((method) => [`${method} ${path}${operation.path}`, [formatHandler(functionName), '2.0']] as const),
    ),
  );
