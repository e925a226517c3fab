import '../browser-globals.ts';
import { beforeEach, expect, test } from 'vitest';
import { UserFile } from '../../../../../infra/web/console/export/user-file.ts';
import { ownFields } from '../../../../../infra/web/console/own-fields.ts';

beforeEach(() =>
  ownFields.set(() => [
    { name: 'tags', type: 'string', list: true },
    { name: 'note', type: 'string' },
  ]),
);

const time = '2026-01-31T12:00:00.000Z';
const ada = { version: 2, id: '1', name: 'Ada "A" King', email: 'ada@example.org', createdAt: time, updatedAt: time };
const users = [
  { ...ada, tags: ['a', 'b'], note: null },
  { ...ada, id: '2', tags: null, note: '=1+1' },
];

const read = (file: UserFile) =>
  new Blob(file.listParts()).arrayBuffer().then((bytes) => Buffer.from(bytes).toString());

test('a CSV file has the columns of the export command', async () => {
  const file = new UserFile('csv');
  file.append(users.slice(0, 1));
  file.append(users.slice(1));
  expect(file.count).toBe(2);
  expect(await read(file)).toBe(
    '\ufeffid,name,email,tags,note,createdAt,updatedAt,version\n' +
      `1,"Ada ""A"" King",ada@example.org,"[""a"",""b""]",,${time},${time},2\n` +
      `2,"Ada ""A"" King",ada@example.org,,'=1+1,${time},${time},2\n`,
  );
});

test('a plain CSV file has no apostrophes', async () => {
  const file = new UserFile('csv', { isPlain: true });
  file.append([{ ...ada, name: '+49 170', tags: null, note: '=1+1' }]);
  expect((await read(file)).split('\n')[1]).toBe(`1,+49 170,ada@example.org,,=1+1,${time},${time},2`);
});

test('an NDJSON file omits values that a user does not have', async () => {
  const file = new UserFile('ndjson');
  file.append(users);
  const lines = (await read(file)).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { ...ada, tags: ['a', 'b'] },
    { ...ada, id: '2', note: '=1+1' },
  ]);
});
