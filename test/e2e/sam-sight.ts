import { deepEqual } from 'node:assert/strict';
import { join } from 'node:path';
import * as z from 'zod';
import { type OperationName, operations } from '../../lib/rest/operations.ts';
import { responseFormats } from '../../lib/rest/response-formats.ts';
import { grants } from '../../infra/stack/grants.ts';
import { withoutAws } from './environment.ts';
import { run } from './run.ts';

const sight = z.object({
  functions: z.record(z.string(), z.object({ handler: z.string(), runtime: z.string(), hasCode: z.boolean() })),
  routes: z.array(z.object({ route: z.string(), function: z.string(), payload: z.string() })),
});

const handlerOf = (name: string) => `${name}.handler`;

/** Throws unless SAM finds in the template every function, with its code, and every route, on its function. */
export async function checkSamSight(commands: string, template: string): Promise<void> {
  const env = { ...withoutAws(), SAM_CLI_TELEMETRY: '0' };
  const script = join(import.meta.dirname, 'sam_sight.py');
  const { functions, routes } = sight.parse(JSON.parse(await run(join(commands, 'python'), [script, template], env)));
  const found = Object.values(functions).map(({ handler, runtime, hasCode }) => ({ handler, runtime, hasCode }));
  deepEqual(
    new Set(found),
    new Set(Object.keys(grants).map((name) => ({ handler: handlerOf(name), runtime: 'nodejs24.x', hasCode: true }))),
    'SAM finds other functions than the stack has',
  );
  deepEqual(
    Object.fromEntries(routes.map(({ route, function: id, payload }) => [route, [functions[id]?.handler, payload]])),
    Object.fromEntries(expectedRoutes()),
    'SAM finds other routes than the API has',
  );
}

const expectedRoutes = () =>
  (Object.keys(operations) as OperationName[]).flatMap((name) =>
    responseFormats.map(({ path }) => {
      const { method, path: rest } = operations[name];
      return [`${method} ${path}${rest}`, [handlerOf(name), '2.0']] as const;
    }),
  );
