import { expect, test } from 'vitest';
import { type FunctionName, grants } from '../../../infra/construct/grants.ts';
import { provideAwslambda } from '../../../infra/local/runtime.ts';
import { exerciseAllFunctions, type Functions } from './exercise-all-functions.ts';
import { getUsed, loadRecording } from './record-actions.ts';

provideAwslambda();

test('each function is granted exactly the actions that it uses on table and index', async () => {
  // Own records need tokens, and have a separate test.
  const names = (Object.keys(grants) as FunctionName[]).filter((name) => !name.endsWith('-me'));
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
