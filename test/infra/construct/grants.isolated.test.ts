import { expect, test } from 'vitest';
import { type FunctionName, grants, listStatements } from '../../../infra/construct/grants.ts';
import { provideAwslambda } from '../../../infra/local/runtime.ts';
import { getUsed } from '../../setup/grants.ts';
import { exerciseAllFunctions, type Functions } from './exercise-all-functions.ts';
import { evaluate, INDEX_ARN, readPolicies, TABLE_ARN } from './policies.ts';
import { ownRecords, synthesize } from './synth.ts';

provideAwslambda();

const load = async (name: FunctionName) => [name, (await import(`../../../functions/${name}.ts`)).handler];

test('each function is granted exactly the actions that it uses on table and index', async () => {
  // Functions of own records need tokens, and have a separate test.
  const names = (Object.keys(grants) as FunctionName[]).filter((name) => !ownRecords.includes(name));
  const functions: Functions = Object.fromEntries(await Promise.all(names.map(load)));
  await exerciseAllFunctions(functions);
  // Reads of lib/dynamodb during INIT are not recorded.
  const usage = names.map((name) => [
    name,
    grants[name].table.length === 0 ? getUsed(name) : { ...getUsed(name), table: getUsed(name).table.add('GetItem') },
  ]);
  const granted = names.map((name) => [
    name,
    { index: new Set(grants[name].index), table: new Set(grants[name].table) },
  ]);
  expect(Object.fromEntries(usage)).toEqual(Object.fromEntries(granted));

  const policies = readPolicies(synthesize({ events: 'on', customerManagedKey: 'on' }));
  for (const name of names)
    for (const [resource, actions] of [
      [TABLE_ARN, getUsed(name).table],
      [INDEX_ARN, getUsed(name).index],
    ] as const)
      for (const action of actions)
        expect([name, action, await evaluate(policies, name, `dynamodb:${action}`, resource)]).toEqual([
          name,
          action,
          'Allowed',
        ]);
});

test('the role of each function has exactly the statements that tests of handlers apply', () => {
  const isOfTable = ({ Resource }: Record<string, unknown>) => Resource === TABLE_ARN || Resource === INDEX_ARN;
  // CDK sorts actions, and writes a single one without an array.
  const normalize = ({ Action, ...statement }: object & { Action?: unknown }) => ({
    ...statement,
    Action: [Action].flat().toSorted(),
  });
  const policies = readPolicies(synthesize({ events: 'on' }));
  for (const name of Object.keys(grants).filter(
    (name) => !ownRecords.includes(name) && name !== 'post-webhook',
  ) as FunctionName[])
    expect([name, policies.get(name)?.filter(isOfTable).map(normalize)]).toEqual([
      name,
      listStatements(grants[name], TABLE_ARN).map(normalize),
    ]);
});

test.each([
  ['get-user', 'dynamodb:PutItem', TABLE_ARN],
  ['get-user', 'dynamodb:Query', INDEX_ARN],
  ['create-user', 'dynamodb:Scan', TABLE_ARN],
  ['graphql', 'dynamodb:DeleteTable', TABLE_ARN],
  ['graphql', 'dynamodb:GetItem', `${TABLE_ARN}-of-others`],
  ['publish-events', 'dynamodb:GetItem', TABLE_ARN],
])('the policies of %s do not allow %s on %s', async (name, action, resource) => {
  expect(await evaluate(readPolicies(synthesize({ events: 'on' })), name, action, resource)).toBe('ImplicitlyDenied');
});
