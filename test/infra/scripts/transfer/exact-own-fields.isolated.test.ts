import { expect, test } from 'vitest';
import { environment } from '../../../../lib/environment.ts';

// lib/ reads the fields on import.
environment.readOwnFields = () => ({ account: { type: 'string', unique: 'exact' } });
const { importRows } = await import('../../../../infra/transfer/import-rows.ts');
const { Pace } = await import('../../../../infra/transfer/pace.ts');
const { readRows } = await import('../../../../infra/transfer/rows.ts');
const { openTableTarget } = await import('../../../../infra/scripts/transfer/table-target.ts');
const { tableSource } = await import('../../../../infra/scripts/transfer/table-source.ts');
type RowResult = import('../../../../infra/transfer/import-rows.ts').RowResult;

async function* encode(text: string) {
  yield new TextEncoder().encode(text);
}

async function importText(text: string, isDryRun: boolean): Promise<RowResult[]> {
  const written: RowResult[] = [];
  const keep = { keepIds: false, keepTimes: false, despiteErasure: false, update: false, pause: async () => {} };
  const target = isDryRun
    ? undefined
    : await openTableTarget({ ...keep, startedAt: new Date().toISOString(), importId: '' });
  const results = { doneUpTo: 0, append: (next: readonly RowResult[]) => void written.push(...next) };
  await importRows(readRows(encode(text)), { target, pace: new Pace({ maxLimit: 4, isBusy: () => false }), results });
  return written;
}

const ACCOUNTS = ['auth0|ada', 'AUTH0|ada', ' auth0|ada', 'auth0|ada', 'auth0|ad\u00e9', 'auth0|ade\u0301'];
const file = (name: string) =>
  ['name,email,account', ...ACCOUNTS.map((account, at) => `Ada,${name}.${at}@example.com,"${account}"`)].join('\n');

test.each([
  ['a dry run', true, 'valid'],
  ['an import', false, 'created'],
])('%s compares exact values as they are written in the file', async (name, isDryRun, result) => {
  const results = await importText(file(name.replaceAll(' ', '-')), isDryRun);
  expect(results.map(({ result }) => result)).toEqual([result, result, result, 'invalid', result, result]);
  expect(results[3]).toMatchObject({ issues: [{ column: 'account', message: 'is the account of line 2, too' }] });
});

test('an export contains the values exactly as imported', async () => {
  const accounts: unknown[] = [];
  for await (const user of tableSource.readUsers({ posts: false }))
    accounts.push(new Map(Object.entries(user)).get('account'));
  expect(accounts.toSorted()).toEqual([...new Set(ACCOUNTS)].toSorted());
});
