import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { type FunctionName, grants } from '../../../infra/construct/grants.ts';
import { provideAwslambda } from '../../../infra/local/runtime.ts';
import { table } from '../../../lib/dynamodb/client.ts';
import { exerciseAllFunctions, type Functions } from './exercise-all-functions.ts';

provideAwslambda();

const running = new AsyncLocalStorage<FunctionName>();
const used = new Map<string, { table: Set<string>; index: Set<string> }>();

function getUsed(name: string) {
  const actions = used.get(name) ?? { table: new Set(), index: new Set() };
  used.set(name, actions);
  return actions;
}

table.middlewareStack.add(
  (next, { commandName = '' }) =>
    (call) => {
      const { table, index } = getUsed(running.getStore() ?? 'none');
      const actions = 'IndexName' in call.input ? index : table;
      for (const action of listActions(commandName, call.input)) actions.add(action);
      return next(call);
    },
  { step: 'initialize' },
);

/** A transaction needs the action of each of its writes; other commands are named after their action. */
function listActions(commandName: string, input: object): string[] {
  if (!('TransactItems' in input))
    return [commandName.replace(/Command$/, '').replace(/^(Get|Put|Update|Delete)$/, '$1Item')];
  const writes = (input.TransactItems as object[]).flatMap(Object.keys);
  return writes.map((write) => (write === 'ConditionCheck' ? 'ConditionCheckItem' : `${write}Item`));
}

async function loadRecording(name: FunctionName) {
  const { handler } = await import(`../../../functions/${name}.ts`);
  return [name, Object.assign((...given: unknown[]) => running.run(name, () => handler(...given)), handler)];
}

test('each function is granted exactly the actions that it uses on table and index', async () => {
  const names = Object.keys(grants) as FunctionName[];
  const functions: Functions = Object.fromEntries(await Promise.all(names.map(loadRecording)));
  await exerciseAllFunctions(functions);
  // lib/dynamodb opens the connection with a read during INIT, before this test can record it. publish-events has no connection to the table.
  const usage = names.map((name) => [
    name,
    name === 'publish-events' ? getUsed(name) : { ...getUsed(name), table: getUsed(name).table.add('GetItem') },
  ]);
  const granted = names.map((name) => [
    name,
    { index: new Set(grants[name].index), table: new Set(grants[name].table) },
  ]);
  expect(Object.fromEntries(usage)).toEqual(Object.fromEntries(granted));
});
