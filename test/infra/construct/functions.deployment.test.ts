import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, test } from 'vitest';
import { bundle } from '../../../infra/construct/bundling/bundle.ts';
import { grants } from '../../../infra/construct/grants.ts';
import { provideAwslambda } from '../../../infra/local/runtime.ts';
import { operationNames, operations } from '../../../lib/rest/operations.ts';
import { exerciseAllFunctions, type Functions } from './exercise-all-functions.ts';
import { createApp, folder } from './synth.ts';

// As in Lambda: response streaming, and connections during INIT.
provideAwslambda();
process.env.AWS_LAMBDA_INITIALIZATION_TYPE = 'on-demand';

type DeployedFunction = { name: string; exported: string; folder: string };

/** Like Lambda, resolves a handler to a file and its export. */
function findFunctions({ stack, outdir }: ReturnType<typeof createApp>): DeployedFunction[] {
  const functions = Template.fromStack(stack).findResources('AWS::Lambda::Function');
  // Functions with inline code are CDK's.
  const bundled = Object.values(functions).filter(({ Properties }) => !Properties.Code.ZipFile);
  return bundled.map(({ Properties, Metadata }) => {
    const [name = '', exported = ''] = Properties.Handler.split('.');
    return { name, exported, folder: join(outdir, Metadata['aws:asset:path']) };
  });
}

const bundles = join(folder, 'bundles');
await bundle(Object.keys(grants), bundles);
const functions = findFunctions(createApp({ events: 'on' }, bundles));

test('every function of the template has a file in functions/ and a handler in its bundle', async () => {
  expect(functions.length).toBeGreaterThan(7);
  for (const { name, exported, folder } of functions) {
    expect(existsSync(`functions/${name}.ts`)).toBe(true);
    expect(await import(join(folder, `${name}.mjs`))).toHaveProperty(exported, expect.any(Function));
  }
});

describe('from the bundles', () => {
  /** Steps that are not REST operations. */
  const FURTHER_STEPS = {
    'create-user again': 201,
    createPost: 'ok',
    'createPost to purge': 'ok',
    createUser: 'ok',
    'createUser again': 'ok',
    'delete-user, indexed': 204,
    deletePost: 'ok',
    deleteUser: 'ok',
    erasure: 'ok',
    'index-pages, repairing': { next: undefined, repaired: 1, users: 42 },
    'list-users by email': 200,
    'list-users by page': 200,
    'list-users by search': 200,
    'on-change': { batchItemFailures: [] },
    'on-change, correcting': { batchItemFailures: [] },
    post: 'ok',
    'publish-events': { batchItemFailures: [] },
    publishPost: 'ok',
    'replace-user with its email': 200,
    'update-user of an email': 200,
    updatePost: 'ok',
    updateUser: 'ok',
    'user, many at once': 'ok',
    userChanged: 200,
    users: 'ok',
  };
  let results: Record<string, unknown>;
  beforeAll(async () => {
    const load = async ({ name, folder }: DeployedFunction) => [
      name,
      (await import(join(folder, `${name}.mjs`))).handler,
    ];
    const bundled: Functions = Object.fromEntries(await Promise.all(functions.map(load)));
    results = await exerciseAllFunctions(bundled);
  });

  test.each(operationNames)('%s answers with its status', (name) => {
    expect(results[name]).toBe(operations[name].status);
  });

  test.each(Object.entries(FURTHER_STEPS))('%s works', (step, expected) => {
    expect(results[step]).toEqual(expected);
  });

  test('every step has an expected result', () => {
    const expected = [...operationNames, ...Object.keys(FURTHER_STEPS)];
    expect(Object.keys(results).toSorted()).toEqual(expected.toSorted());
  });
});
