import { expect, test } from 'vitest';
import { createRejectedFile } from '../../../../../infra/web/console/import/rejected-file.ts';

const toFile = (text: string) => ({ file: new File([text], 'users'), text: {} });
const toResults = (results: object[]) => new Blob(results.map((result) => `${JSON.stringify(result)}\n`));
const read = async (text: string, results: object[]) =>
  new Blob(await createRejectedFile(toFile(text), toResults(results))).text();

test('contains the rejected rows of a CSV file unchanged, with line and reasons', async () => {
  const rows = 'Name;Mail\nAda;ada@example.org\n"Grace;\nH";grace@\n=1+1;\nAlan;alan@example.org\n';
  const results = [
    { line: 2, result: 'created', id: '1' },
    { line: 3, result: 'invalid', issues: [{ column: 'Mail', message: 'must be an email address' }] },
    { line: 5, result: 'invalid', issues: [{ column: 'email', message: 'is required' }, { message: 'is too long' }] },
    { line: 6, result: 'exists', id: '2' },
  ];
  expect(await read(rows, results)).toBe(
    'line,reason,Name,Mail\n' +
      '3,Mail: must be an email address,"Grace;\nH",grace@\n' +
      `5,email: is required; is too long,'=1+1,\n`,
  );
});

test('keeps a single apostrophe that protects a formula', async () => {
  const results = [{ line: 2, result: 'invalid', issues: [{ message: 'is too long' }] }];
  expect(await read("name,phone\nAda,'+49 170\n", results)).toBe(
    "line,reason,name,phone\n2,is too long,Ada,'+49 170\n",
  );
});

test('contains the rejected lines of an NDJSON file', async () => {
  const results = [{ line: 2, result: 'invalid', issues: [{ message: 'The line is no JSON' }] }];
  expect(await read('{"name":"Ada"}\n{"name"\n', results)).toBe('line,reason,row\n2,The line is no JSON,"{""name"""\n');
});
