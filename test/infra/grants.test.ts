import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { type FunctionName, grants } from '../../infra/stack/grants.ts';
import { provideAwslambda } from '../../infra/local/runtime.ts';
import { table } from '../../lib/dynamodb/client.ts';
import { type Functions, exerciseAllFunctions } from './exercise-all-functions.ts';

provideAwslambda();

const running = new AsyncLocalStorage<FunctionName>();
const used = new Map<string, { table: Set<string>; index: Set<string> }>();

function usedBy(name: string) {
  const actions = used.get(name) ?? { table: new Set(), index: new Set() };
  used.set(name, actions);
  return actions;
}

table.middlewareStack.add(
  (next, { commandName = '' }) =>
    (call) => {
      const { table, index } = usedBy(running.getStore() ?? 'none');
      const place = 'IndexName' in call.input ? index : table;
      for (const action of actionsOf(commandName, call.input)) place.add(action);
      return next(call);
    },
  { step: 'initialize' },
);

/** A transaction needs the action of each of its writes; other commands are called as their action. */
function actionsOf(commandName: string, input: object): string[] {
  if (!('TransactItems' in input))
    return [commandName.replace(/Command$/, '').replace(/^(Get|Put|Update|Delete)$/, '$1Item')];
  const writes = (input.TransactItems as object[]).flatMap(Object.keys);
  return writes.map((write) => (write === 'ConditionCheck' ? 'ConditionCheckItem' : `${write}Item`));
}

async function recording(name: FunctionName) {
  const { handler } = await import(`../../functions/${name}.ts`);
  return [name, Object.assign((...given: unknown[]) => running.run(name, () => handler(...given)), handler)];
}

test('each function may do to table and index what it does, and nothing else', async () => {
  const names = Object.keys(grants) as FunctionName[];
  const functions: Functions = Object.fromEntries(await Promise.all(names.map(recording)));
  await exerciseAllFunctions(functions);
  // In INIT, lib/table opens the connection with a read, before anything here could see it.
  const done = names.map((name) => [name, { ...usedBy(name), table: usedBy(name).table.add('GetItem') }]);
  const granted = names.map((name) => [
    name,
    { index: new Set(grants[name].index), table: new Set(grants[name].table) },
  ]);
  expect(Object.fromEntries(done)).toEqual(Object.fromEntries(granted));
});
