import { AsyncLocalStorage } from 'node:async_hooks';
import type { FunctionName } from '../../../infra/construct/grants.ts';
import { table } from '../../../lib/dynamodb/client.ts';

const running = new AsyncLocalStorage<FunctionName>();
const used = new Map<string, { table: Set<string>; index: Set<string> }>();

export function getUsed(name: string) {
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

/** Loads a function. The actions of its requests to the table are recorded under its name. */
export async function loadRecording(name: FunctionName) {
  const { handler } = await import(`../../../functions/${name}.ts`);
  return [name, Object.assign((...given: unknown[]) => running.run(name, () => handler(...given)), handler)];
}
