import Papa from 'papaparse';
import { describe, expect, test, vi } from 'vitest';
import { decompress } from '../../../infra/transfer/decompress.ts';
import { NO_ADDRESS, type Row, type RowOptions, readRows, type TextOptions } from '../../../infra/transfer/rows.ts';
import { INEXACT_NUMBER } from '../../../lib/input/exact-json.ts';

/** Chunks that split characters and line breaks must give the same result as one chunk. */
async function readText(content: string | Buffer, options: RowOptions = {}, text: TextOptions = {}) {
  const bytes = Buffer.from(content);
  const read = (size: number) =>
    Array.fromAsync(
      readRows(
        decompress(cut(bytes, size), (chunks) => chunks),
        options,
        text,
      ),
    );
  const rows = await read(bytes.length || 1);
  if (bytes.length < 10_000) expect(await read(1)).toEqual(rows);
  return rows;
}

async function* cut(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield Uint8Array.from(bytes.subarray(at, at + size));
}

const ADA = { name: 'Ada', email: 'ada@example.org' };

const findMessage = (content: string | Buffer, options?: RowOptions, text?: TextOptions): Promise<string> =>
  readText(content, options, text).then(
    (rows) => rows.flatMap(({ issues = [] }) => issues.map(({ message }) => message)).join('\n'),
    (error: Error) => error.message,
  );

test('an internal error is thrown, not reported as an issue of the line', async () => {
  const ignore = new Set<string>();
  ignore.has = () => {
    throw new TypeError('A fault of the program');
  };
  const rows = readText('{"name":"Ada","email":"ada@example.org"}\n', { ignore });
  await expect(rows).rejects.toThrow('A fault of the program');
});

test('a quoted cell with quotes on each of many lines is parsed once', async () => {
  const text = `name,email,notes\n${`Ada,ada@example.org,"${'""x"",y\n'.repeat(1_000)}"\n`.repeat(2)}`;
  const { Parser } = Papa;
  let parsed = 0;
  vi.spyOn(Papa, 'Parser').mockImplementation(function create(config) {
    const parser = new Parser(config);
    return Object.assign(parser, { parse: countLength(parser.parse) });
  });
  const countLength =
    (parse: typeof Parser.prototype.parse): typeof parse =>
    (input, ...others) => {
      parsed += input.length;
      return parse(input, ...others);
    };
  const rows = await readText(text, { ignore: new Set(['notes']) });
  expect(rows).toMatchObject([2, 1_003].map((line) => ({ line, user: { name: 'Ada' } })));
  expect(parsed).toBeLessThan(2 * text.length);
});

test.each([
  ['a line break within the first name', '"Name\n(voll)";email\nAda;ada@example.org\n', 3],
  ['a delimiter within a name', 'Name (first, last);email\nAda;ada@example.org\n', 2],
  ['CR', 'Name (voll),email\rAda,ada@example.org\r', 2],
  ['CR CR LF', 'Name (voll),email\r\r\nAda,ada@example.org\r\r\n', 2],
  ['CR LF without an end', 'Name (voll),email\r\nAda,ada@example.org', 2],
  ['rows of empty cells', 'Name (voll);email\n;\n\n"";" "\n;;;;\nAda;ada@example.org\n;\n', 6],
  ['a line that names the delimiter', 'sep=;\nName (voll);email\nAda;ada@example.org\n', 3],
  ['a quoted line that names the delimiter', '"sep=\t"\nName\temail\nAda\tada@example.org\n', 3],
])('reads a file with %s', async (_, content, line) => {
  const fields = ['name', 'email'];
  expect(await readText(content, { fields })).toMatchObject([{ line, user: ADA }]);
});

test('a delimiter can be set', async () => {
  const csv = 'name:email\nAda:ada@example.org\n';
  expect(await readText(csv, {}, { delimiter: ':' })).toMatchObject([{ user: ADA }]);
});

test('a line break in a column name becomes a space, for --map', async () => {
  const map = new Map([['Name (voll)', 'name']]);
  expect(await readText('"Name\n(voll)";email\nAda;ada@example.org\n', { map })).toMatchObject([{ user: ADA }]);
});

test('a line break within a quoted cell stays', async () => {
  const csv = 'name,email,notes\nAda,ada@example.org,"1\r2\r\n3\n4\r\r\n5"\nBob,bob@example.org,\n';
  const rows = await readText(csv, { ignore: new Set(['notes']) });
  const cells = 'Adaada@example.org1\r2\r\n3\n4\r\r\n5';
  expect(rows).toMatchObject([{ line: 2, size: `nameemail${cells}`.length }, { line: 7 }]);
});

const utf16 = (text: string) => Buffer.from(text, 'utf16le');
const CSV = 'name,email\nAda,ada@example.org\nZoë,zoe@example.org\n';

test.each([
  ['UTF-16LE', utf16(`\ufeff${CSV}`), {}],
  ['UTF-16BE', utf16(`\ufeff${CSV}`).swap16(), {}],
  ['UTF-16LE without a mark', utf16(CSV), {}],
  ['UTF-16BE without a mark', utf16(CSV).swap16(), {}],
  ['UTF-16BE that is named UTF-16', utf16(`\ufeff${CSV}`).swap16(), { encoding: 'utf-16' }],
  ['Windows-1252', Buffer.from(CSV, 'latin1'), { encoding: 'windows-1252' }],
])('decodes %s', async (_, bytes, text) => {
  const zoe = { name: 'Zoë', email: 'zoe@example.org' };
  expect(await readText(bytes, {}, text)).toMatchObject([{ user: ADA }, { user: zoe }]);
});

const damaged = utf16(`\ufeff${CSV}`);
damaged.set([0x00, 0xd8], damaged.indexOf(utf16('ë')));

test.each([
  ['UTF-8', Buffer.from(CSV, 'latin1'), {}, 'Line 3 is not utf-8 at byte offset 33: choose the encoding'],
  ['a lone surrogate of UTF-16', damaged, {}, 'Line 3 is not utf-16le at byte offset 68: choose the encoding'],
  [
    'UTF-16 that ends within a character',
    utf16(`\ufeff${CSV}`).subarray(0, -3),
    {},
    'Line 3 is not utf-16le at byte offset 100: choose the encoding',
  ],
  [
    'a wrong encoding',
    Buffer.from(CSV, 'latin1'),
    { encoding: 'shift_jis' },
    'Line 3 is not shift_jis at byte offset 33: choose the encoding',
  ],
  [
    'the first line',
    Buffer.from('Stra\xdfe,email\n', 'latin1'),
    {},
    'The first line must name the columns. Line 1 is not utf-8 at byte offset 4: choose the encoding',
  ],
  [
    'an unknown encoding',
    Buffer.from(CSV),
    { encoding: 'ansi' },
    'Unknown encoding "ansi". Names are utf-8, utf-16le, windows-1252, shift_jis …',
  ],
])('reports line, offset and encoding of invalid bytes: %s', async (_, bytes, text, message) => {
  expect(await findMessage(bytes, {}, text)).toBe(message);
});

test('columns with the same name are mapped by position', async () => {
  const csv = 'Telefon,Telefon,name,email\nAda,ada@example.org,x,y\n';
  expect(await readText(csv, { fields: ['name', 'email', '', ''] })).toMatchObject([{ user: ADA }]);
  const map = new Map([
    ['#1', 'name'],
    ['#2', 'email'],
  ]);
  const ignore = new Set(['#3', '#4']);
  expect(await readText(csv, { map, ignore })).toMatchObject([{ user: ADA }]);
  expect(await findMessage(csv)).toContain('No field is named "Telefon (column 1)", "Telefon (column 2)"');
  const issues = [{ column: 'Telefon (column 2)', message: 'must be an email address' }];
  expect(await readText(`${csv}Ada,ada,,\n`, { map, ignore })).toMatchObject([{}, { issues }]);
});

test.each([
  ['name,email,name\n', {}, 'Two columns map to the field name: "name (column 1)", "name (column 3)"'],
  ['name,email\n', { map: new Map([['E-Mail', 'email']]) }, 'No column is named "E-Mail"'],
  ['name,email\n', { ignore: new Set(['*', 'Email', '#3']) }, 'No column is named "Email", "#3"'],
  [
    'name,email,x\n',
    { map: new Map([['#3', 'id']]), ignore: new Set(['x']) },
    'The column "x" is also named by its position',
  ],
  [
    '{"name":"Ada","email":"a@example.org"}\n\n[]\n',
    { map: new Map([['Plan', 'id']]), ignore: new Set(['*', 'Notes']) },
    'No row has a member named "Plan", "Notes"',
  ],
  ['name,email,x\n', { fields: ['name', 'email'] }, 'The file has 3 columns now, and had 2. Choose it again'],
  [
    '{"name":"Ada","Name":"Bob","email":"a@example.org"}\n',
    { map: new Map([['Name', 'name']]) },
    'Two members map to the field name: "name", "Name"',
  ],
])('no value is dropped in silence: %j', async (csv, options, message) => {
  expect(await findMessage(csv, options)).toBe(message);
});

test('a row of NDJSON that JSON.parse would change is rejected with its member', async () => {
  const person = '"name":"Ada","email":"ada@example.org"';
  const rows = await readText(
    [`{${person},"name":"Bob"}`, `{${person},"x":{"y":[750727362669608961]}}`, `{${person}}`, ''].join('\n'),
  );
  expect(rows).toMatchObject([
    { line: 1, issues: [{ column: 'name', message: 'must be given only once' }] },
    { line: 2, issues: [{ column: 'x.y.0', message: INEXACT_NUMBER }] },
    { line: 3, user: ADA },
  ]);
});

test('ignored members of NDJSON may have any number, and repeated names', async () => {
  const rows = await readText(
    '{"name":"Ada","email":"ada@example.org","x":{"y":750727362669608961,"y":1e400},"x":2}\n',
    { ignore: new Set(['x']) },
  );
  expect(rows).toMatchObject([{ line: 1, user: ADA }]);
});

test('a member that --map or --ignore names may first be in row 10,000, and hold back only the rows before it', async () => {
  const row = (member: string) => `{"name":"Ada","email":"a@example.org","${member}":null}\n`;
  const options = { map: new Map([['Id', 'id']]), ignore: new Set(['*', 'Notes']) };
  const text = `${row('Notes')}${row('other').repeat(9_998)}${row('Id')}`;
  const rows = await readText(text + row('other'), options);
  expect(rows.map(({ line }) => line)).toEqual(Array.from({ length: 10_001 }, (_, at) => at + 1));
  expect(await findMessage(row('other') + text, options)).toBe('None of the first 10,000 rows has a member named "Id"');
  const long = `{"name":"${'x'.repeat(3_000_000)}"}\n`;
  expect(await findMessage(long.repeat(4), options)).toBe('None of the first 3 rows has a member named "Id", "Notes"');
});

test.each([
  ['CSV', 'name,email,x\n', ''],
  ['NDJSON', '{"name":"Ada","email":"a@example.org","x":"1"}\n', ', posts'],
])('a column cannot be mapped to an unknown field: %s', async (_, file, more) => {
  const map = new Map([['x', 'phone']]);
  expect(await findMessage(file, { map })).toBe(
    `No field is named "phone". Fields are name, email, id, createdAt, updatedAt, version${more}`,
  );
});

const zip = (name: string) => Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(26), Buffer.from(name)]);

test.each([
  [
    'an Excel workbook',
    zip('[Content_Types].xml'),
    /^The file is an Excel workbook \(\.xlsx\)\. Save the sheet as “CSV UTF-8/,
  ],
  ['an old Excel workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /^The file is an Excel workbook \(\.xls\)/],
  [
    'a workbook of LibreOffice',
    zip('mimetypeapplication/vnd.oasis.opendocument.spreadsheet'),
    /^The file is an OpenDocument spreadsheet/,
  ],
  ['a zip archive', zip('users.csv'), /^The file is a zip archive\. Extract/],
])('rejects %s', async (_, bytes, message) => {
  expect(await findMessage(bytes)).toMatch(message);
});

const LONG = 'x'.repeat(200_000);

test.each([
  ['a long line', `${LONG}\n`],
  ['long names', `${`${LONG},`.repeat(3)}\n`],
  ['many names', `name,email,${LONG.replaceAll('x', 'x,').slice(0, 1_800)}\n`],
  ['more columns than anybody has', `name,email,${LONG.replaceAll('x', 'x,')}\n`],
  ['a file that is one line', `name,email ${LONG}`],
  ['a long value', `name,email\nAda,${LONG}\n`],
  ['a long member', `{"name":"Ada","email":"ada@example.org","${LONG}":1}\n`],
  ['JSON that ends within a text', `{"name":"${LONG}\n`],
  ['a long encoding', 'name', { encoding: LONG }],
] as [string, string, TextOptions?][])(
  'messages are short and mention no command options: %s',
  async (_, content, text = {}) => {
    const message = await findMessage(content, {}, text);
    expect(message).not.toBe('');
    expect(message.length).toBeLessThan(500);
    expect(message).not.toContain('--');
  },
);

test('a file that is almost empty is rejected before its end', async () => {
  const empty = Buffer.from(`${'\n'.repeat(99_999)};;\r\n`);
  let read = 0;
  async function* chunks() {
    yield Buffer.from('name,email\n');
    for (; ; read++) yield empty;
  }
  const rows = Array.fromAsync(readRows(decompress(chunks(), (chunks) => chunks)));
  await expect(rows).rejects.toThrow('The file has more than 1,100,000 empty lines. Remove them');
  expect(read).toBe(11);
});

const ID = '019a8b1c-0000-7000-8000-000000000001';
const OTHER = '019a8b1c-0000-7000-8000-000000000002';
const POST = '019a8b1c-0000-7000-8000-0000000000ff';
const readKept = (record: object) => readText(`${JSON.stringify({ ...ADA, ...record })}\n`, { keepIds: true });

test.each([
  ['the user', { id: ID, posts: [{ id: `${ID}.${POST}`, title: 'One' }] }],
  ['nobody', { id: ID, posts: [{ title: 'One' }] }],
])('with kept ids, a post may have the id of a post of %s', async (_, record) => {
  expect(await readKept(record)).toMatchObject([{ kept: { id: ID }, posts: record.posts }]);
});

test.each([
  ['another user', `${OTHER}.${POST}`],
  ['no post', ID],
])('with kept ids, a post cannot have the id of %s', async (_, id) => {
  const posts = [{ title: 'One' }, { id, title: 'Two' }];
  const issue = { column: 'posts.1.id', message: 'must be the id of a post of this user' };
  expect(await readKept({ id: ID, posts })).toMatchObject([{ issues: [issue] }]);
});

test.each([
  ['a random value', '0f8fad5b-d9cb-469f-a165-70867728950e'],
  ['a time in the future', 'f19a8b1c-0000-7000-8000-000000000001'],
])('with kept ids, an id with %s is rejected, because the page index would never reach the user', async (_, id) => {
  const issue = { column: 'id', message: 'must be from an export: a UUIDv7 with a time in the past' };
  expect(await readKept({ id })).toMatchObject([{ issues: [issue] }]);
});

test('a version that GraphQL could not show, now or after later changes, is rejected', async () => {
  const version = 2 ** 31 - 1;
  const message = 'must be at most 2147000000';
  expect(await readKept({ id: ID, version, posts: [{ title: 'One', version }] })).toMatchObject([
    {
      issues: [
        { column: 'version', message },
        { column: 'posts.0.version', message },
      ],
    },
  ]);
});

test.each([
  ['createdAt', '0000-12-31T12:00:00Z'],
  ['updatedAt', '0001-01-01T00:00:00+05:00'],
  ['updatedAt', '2026-11-31T00:00:00Z'],
])('with kept ids, the %s %s is rejected for the user and for a post', async (name, time) => {
  const message = 'must be a time with Z or an offset, such as 2026-01-31T12:00:00Z, in the years 0001 to 9999 in UTC';
  const posts = [{ title: 'One', publishedAt: time, [name]: time }];
  expect(await readKept({ id: ID, [name]: time, posts })).toMatchObject([
    { issues: [name, 'posts.0.publishedAt', `posts.0.${name}`].map((column) => ({ column, message })) },
  ]);
});

test('with kept ids, the id is required', async () => {
  expect(await readKept({})).toMatchObject([{ issues: [{ column: 'id', message: 'is required' }] }]);
});

test('a quote that is missing takes in no further rows than its own', async () => {
  const csv = 'name,email\n"Ada,ada@example.org\nBob",bob@example.org,x\nEve,eve@example.org\n';
  expect(await readText(csv)).toMatchObject([
    { line: 2, issues: [{ message: expect.stringContaining('never closed') }] },
    { line: 3, issues: [{ message: 'The row has 3 cells, the first line 2' }] },
    { line: 4, user: { name: 'Eve' } },
  ]);
});

test('a file with 1,001 columns is rejected, and one with 1,000 is read', async () => {
  const table = (columns: number) => {
    const others = Array.from({ length: columns - 2 }, (_, at) => `c${at}`);
    return `${['name', 'email', ...others].join()}\nAda,ada@example.org${','.repeat(columns - 2)}\n`;
  };
  const ignore = new Set(['*']);
  expect(await findMessage(table(1_001), { ignore })).toBe(
    'The first line names 1001 columns, which is more than 1000',
  );
  expect(await findMessage(table(1_000), { ignore })).toBe('');
});

test('of two delimiters that split as many records, the one with more columns is chosen', async () => {
  const [row] = await readText('name,x;email;y\nAda,1;ada@example.org;2\n', {
    map: new Map([['name,x', 'name']]),
    ignore: new Set(['*']),
  });
  expect(row).toMatchObject({ user: { name: 'Ada,1', email: 'ada@example.org' } });
});

const columnsOf = (pairs: Record<string, string>) => new Map(Object.entries(pairs));

test.each([
  ['CSV', 'Last Name,First Name,email\nLovelace, Ada ,ada@example.org\n'],
  ['a column of its own', 'First Name+Last Name,First Name,Last Name,email\nAda Lovelace,x,y,ada@example.org\n'],
  ['NDJSON', '{"Last Name":"Lovelace","email":"ada@example.org","First Name":"Ada"}\n'],
])('a map joins two columns in its order, with a space: %s', async (_, text) => {
  const options = { map: columnsOf({ 'First Name+Last Name': 'name' }), ignore: new Set(['*']) };
  expect(await readText(text, options)).toMatchObject([{ user: { ...ADA, name: 'Ada Lovelace' } }]);
});

test.each([
  ['name,First,Last,email\n', { 'First+Last': 'name' }, 'Two columns map to the field name: "name", "First", "Last"'],
  ['First,Last,email\n', { 'First+Last': 'name', First: 'email' }, 'The column "First" is named twice'],
  ['First,Last,Nick,email\n', { 'First+Last': 'name', Nick: 'name' }, 'The field name is mapped twice'],
  ['First,email\n', { 'First+Last': 'name' }, 'No column is named "Last"'],
  [
    '{"name":"Ada","First":"Ada","Last":"L.","email":"a@example.org"}\n',
    { 'First+Last': 'name' },
    'Two members map to the field name: "name", "First", "Last"',
  ],
])('a join drops no value in silence: %j, %j', async (text, map, message) => {
  expect(await findMessage(text, { map: columnsOf(map) })).toBe(message);
});

test('without a header, columns have positions, and the first line is a row', async () => {
  const map = columnsOf({ '#1': 'email', '#3+#2': 'name' });
  const csv = 'ada@example.org,Lovelace,Ada,x,\n';
  expect(await readText(csv, { map, ignore: new Set(['#4', '#5']) }, { header: false })).toMatchObject([
    { line: 1, user: { ...ADA, name: 'Ada Lovelace' } },
  ]);
  expect(await findMessage(csv, { map }, { header: false })).toContain('No field is named "#4", "#5"');
});

test('a first line with an address is a row, not a header', async () => {
  expect(await findMessage('Ada,ada@example.org\n', { fields: ['name', 'email'] })).toBe(
    'The first line must name the columns, and contains an address: ada@example.org',
  );
});

test('unnamed columns at the end may be empty, and empty cells at the end may be missing', async () => {
  const map = columnsOf({ phone: 'version' });
  const rows = await readText(
    'name,email,phone,,\nAda,ada@example.org\nAda,ada@example.org,,,,,\nAda,ada@example.org,,,x\n',
    { map },
  );
  expect(rows).toMatchObject([
    { line: 2, user: ADA },
    { line: 3, user: ADA },
    { line: 4, issues: [{ message: 'The row has 5 cells, the first line 3' }] },
  ]);
  expect(await findMessage('name,,email,\n')).toContain('No field is named "#2"');
});

test('a formula that is a text is read as the text, and a protected one stays', async () => {
  const csv = 'name,email\n="0170123",a@example.org\n"=""0""""1""",b@example.org\n"\'=""0170""",c@example.org\n';
  expect(await readText(csv)).toMatchObject(['0170123', '0"1', '="0170"'].map((name) => ({ user: { name } })));
});

test.each([
  ['4.91701E+11', false],
  ['4,91701E+11', false],
  ['1E+5', true],
  ['4.91701E+11 x', true],
])('a text that a spreadsheet has shortened is an error: %s', async (name, isValid) => {
  const issues = [{ column: 'Name', message: 'a spreadsheet has shortened this number' }];
  expect(await readText(`Name;email\n${name};a@example.org\n`)).toMatchObject([
    isValid ? { user: { name } } : { issues },
  ]);
});

test.each([
  ['an empty cell of CSV', 'name,email\n,ada@example.org\n'],
  ['no column of CSV', 'email\nada@example.org\n'],
  ['null in NDJSON', '{"name":null,"email":"ada@example.org"}\n'],
])('a default is the value of a row with %s', async (_, text) => {
  const defaults = columnsOf({ name: 'Unknown' });
  expect(await readText(text, { defaults })).toMatchObject([{ user: { ...ADA, name: 'Unknown' } }]);
  expect(await findMessage(text, { defaults: columnsOf({ phone: '1' }) })).toContain('No field is named "phone"');
});

test.each([
  ['CSV', 'name,email\nAda,\n'],
  ['NDJSON', '{"name":"Ada","email":" "}\n'],
])('a row without an address says so: %s', async (_, text) => {
  expect(await readText(text)).toMatchObject([{ issues: [{ column: 'email', message: NO_ADDRESS }] }]);
});

test.each(['crm-17', '0f8fad5b-d9cb-469f-a165-70867728950e'])(
  'a column with an id of another service stops before the first row: %s',
  async (id) => {
    const text = `id,name,email\n,Bob,bob@example.org\n${id},Ada,ada@example.org\n`;
    await expect(readText(text)).rejects.toMatchObject({
      subject: 'ids',
      message: `The ids are from another service: ${id}`,
    });
    expect(await readText(text, { ignore: new Set(['id']) })).toMatchObject([{}, { user: ADA }]);
    const mixed = `id,name,email\n${ID},Ada,ada@example.org\n${id},Bob,bob@example.org\n`;
    expect(await readText(mixed)).toMatchObject([{ user: ADA }, { issues: [{ column: 'id' }] }]);
  },
);

const BOB = { name: 'B "b" \\', email: 'bob@example.org' };
const [ada, bob] = [ADA, BOB].map((user) => JSON.stringify(user));

test.each([
  ['an array in one line', `[${ada},${bob}]`, [1, 2]],
  ['an indented array', ` [\n  ${ada},\n  ${JSON.stringify(BOB, null, 2)}\n]\n`, [2, 3]],
  ['the list of an object', `\ufeff{"count":2,"Users":[${ada},${bob}],"items":[{"x":1}]}`, [1, 2]],
  ['the list of an indented object', JSON.stringify({ roles: { x: [{}] }, users: [ADA, BOB] }, null, 1), [8, 12]],
  ['lists of two objects', `{"users":[${ada}]}\n{"users":[${bob}]}\n`, [1, 2]],
  ['indented objects', `${JSON.stringify(ADA, null, 1)}\n${JSON.stringify(BOB, null, 1)}\n`, [1, 5]],
  ['NDJSON', `${ada}\n${bob}\n`, [1, 2]],
  ['NDJSON that has lists', `{"email":"ada@example.org","data":[{"x":1}],"name":"Ada"}\n${bob}\n`, [1, 2]],
])('reads JSON that is %s', async (_, text, lines) => {
  const rows = await readText(text, { ignore: new Set(['*']) });
  expect(rows).toMatchObject([
    { line: lines[0], user: ADA },
    { line: lines[1], user: BOB },
  ]);
});

test.each(['[]', '{"users":[]}', '[\n]\n'])('a JSON file without users has no rows: %s', async (text) => {
  expect(await readText(text)).toEqual([]);
});

test('an element that is no user, or that JSON.parse would change, is an issue of its row', async () => {
  const text = `[1, "a]", [${ada}], {"name":"Ada","name":"Eve"}, {"name" "x"},\n${ada}]`;
  const rows = await readText(text);
  expect(rows.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(rows.filter(({ issues }) => issues)).toHaveLength(5);
  expect(rows.at(-1)).toMatchObject({ user: ADA });
});

test('JSON that ends early fails after its users', async () => {
  const rows: Row[] = [];
  const read = async () => {
    for await (const row of readRows(cut(Buffer.from(`{"users":[${ada},${bob}`), 7))) rows.push(row);
  };
  await expect(read()).rejects.toThrow('The file ends within its JSON');
  expect(rows).toHaveLength(2);
});

test('JSON in another encoding is decoded, or names the encoding', async () => {
  expect(await readText(utf16(`\ufeff[${ada}]`))).toMatchObject([{ user: ADA }]);
  expect(await findMessage(Buffer.from('[{"name":"Zo\xeb"}]', 'latin1'))).toBe(
    'The file is not utf-8: choose the encoding',
  );
});

test('memory stays bounded for JSON without an end', async () => {
  async function* chunks() {
    yield Buffer.from(`[{"name":"`);
    for (let count = 0; count < 100; count++) yield Buffer.alloc(64 * 1024, 'x');
    yield Buffer.from(`"},${ada}]`);
  }
  const [long, row] = await Array.fromAsync(readRows(chunks()));
  expect(long).toMatchObject({ issues: [{ message: expect.stringContaining('which is more than 4194304') }] });
  expect(row).toMatchObject({ line: 2, user: ADA });
});

describe('times that the target does not store', () => {
  const timesUnstored = (columns: string[]) => `Not stored: ${columns.join(', ')}`;
  const TIMES = '{"name":"Ada","email":"ada@example.org","createdAt":"2019-05-01T12:00:00Z","version":2}';
  const POST_TIMES =
    '{"name":"Ada","email":"ada@example.org","posts":[{"title":"One","updatedAt":"2019-05-01T12:00:00Z"}]}';

  test.each([
    ['name,email,CreatedAt,version\n', {}, 'Not stored: CreatedAt, version'],
    ['name,email,Since\n', { map: new Map([['Since', 'createdAt']]) }, 'Not stored: Since'],
    ['name,email,createdAt,version\n', { ignore: new Set(['createdAt']) }, 'Not stored: version'],
    [TIMES, {}, 'Not stored: createdAt, version'],
    [TIMES, { ignore: new Set(['*']) }, 'Not stored: createdAt, version'],
    [POST_TIMES, {}, 'Not stored: updatedAt'],
  ])('stop the import: %s %j', async (content, options, message) => {
    expect(await findMessage(content, { ...options, timesUnstored })).toBe(message);
  });

  test.each([
    ['name,email,createdAt,version\nAda,ada@example.org,2019-05-01T12:00:00Z,2\n', ['createdAt', 'version']],
    [TIMES, ['createdAt', 'version']],
    [POST_TIMES, ['updatedAt']],
    ['{"name":"Ada","email":"ada@example.org","createdAt":null}', []],
  ])('are skipped if ignored: %s', async (content, names) => {
    expect(await readText(content, { ignore: new Set(names), timesUnstored })).toMatchObject([{ user: ADA, kept: {} }]);
  });
});

describe('kept times', () => {
  const HOUR_AHEAD = new Date(Date.now() + 3_600_000).toISOString();
  const POSTS = JSON.stringify([{ title: 'One', createdAt: HOUR_AHEAD }]);
  const read = (members: string, keepIds = false) =>
    readText(`{"name":"Ada","email":"ada@example.org",${members}}`, { keepIds, keepTimes: true });

  test.each([
    [`"createdAt":"${HOUR_AHEAD}"`, 'createdAt', 'must not be in the future'],
    [`"createdAt":"2019-05-01T12:00:00Z","updatedAt":"${HOUR_AHEAD}"`, 'updatedAt', 'must not be in the future'],
    [`"createdAt":"2019-05-01T12:00:00Z","posts":${POSTS}`, 'posts.0.createdAt', 'must not be in the future'],
    ['"createdAt":"1969-12-31T23:59:59.999Z"', 'createdAt', 'must be in 1970 or later'],
    ['"updatedAt":"2019-05-01T12:00:00Z"', 'createdAt', 'is required by --keep-times'],
  ])('are rejected per row: %s', async (members, column, message) => {
    expect(await read(members)).toMatchObject([{ line: 1, issues: [{ column, message }] }]);
  });

  test('may be before 1970 if the id is kept, and a minute ahead', async () => {
    const id = '"id":"01990f6e-3c5a-7d21-8b4e-5f0c9a7d1e23"';
    expect(await read(`${id},"createdAt":"1969-12-31T23:59:59.999Z"`, true)).toMatchObject([{ user: ADA }]);
    expect(await read(`"createdAt":"${new Date().toISOString()}"`)).toMatchObject([{ user: ADA }]);
  });
});
