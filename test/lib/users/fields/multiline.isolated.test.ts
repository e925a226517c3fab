import { beforeEach, expect, test } from 'vitest';
import { describeField } from '../../../../infra/openapi/values.ts';
import { valueSchema } from '../../../../lib/users/fields/value-schema.ts';
import { deploy } from './deploy.ts';

const NOTES = { notes: { type: 'string', multiline: true, maxLength: 11, search: true } } as const;

beforeEach(async () => (await deploy({})).clearTable());

test('line breaks are stored as \\n in REST and GraphQL, and a search finds words of each line', async () => {
  const service = await deploy(NOTES);
  const id = await service.add({ notes: ' one\r\ntwo\n\nx\n' });
  expect(await service.get(id)).toMatchObject({ notes: 'one\ntwo\n\nx' });
  expect(await service.find({ q: 'two' })).toEqual([id]);
  const { mutate, fetchData } = await import('../../graphql/client.ts');
  expect((await mutate('updateUser', { id, notes: 'a\r\nb' })).text).not.toContain('errors');
  expect(await fetchData('query ($id: ID!) { user(id: $id) { notes } }', { id })).toEqual({ user: { notes: 'a\nb' } });
  expect((await service.checkTable()).found).toEqual({});
});

const control = 'must not contain control characters other than line breaks';
const separator = 'must not contain the separators U+2028 and U+2029; break lines with \\n';

test.each([
  ['a\tb', control],
  ['a\rb', control],
  ['a\r\r\nb', control],
  ['a\u0085b', control],
  ['a\u2028b', separator],
  ['a\u2029b', separator],
  ['a\u202eb', 'must not contain characters that change the direction of text'],
  ['\r\n\n', 'must not be empty'],
  ['a\n\u200b'.repeat(4), 'must have at most 11 characters'],
  ['\u200b\n\u200b', 'must have a visible character'],
])('%j is rejected', (notes, message) => {
  expect(valueSchema(NOTES.notes).safeParse(notes).error?.issues).toMatchObject([{ message }]);
});

test('a line break counts as one character', () => {
  const parse = (text: string) => valueSchema(NOTES.notes).safeParse(text).data;
  expect(parse('12345\r\n6789a')).toBe('12345\n6789a');
  expect(parse('12345\r\n6789ab')).toBeUndefined();
});

test('without multiline, a line break is rejected', () => {
  expect(valueSchema({ type: 'string' }).safeParse('a\nb').error?.issues).toMatchObject([
    { message: 'must not contain control characters' },
  ]);
});

test('the OpenAPI document accepts the texts that the service accepts', () => {
  const { pattern = '', allOf = [] } = describeField(NOTES.notes);
  const patterns = [pattern, ...allOf.map((each) => Object(each).pattern)].map((text) => new RegExp(text));
  const texts = ['a', 'a\nb', '\na\r\n\r\nb\n', '12345\r\n6789a', '12345\r\n6789ab', 'a\tb', 'a\rb', 'a\u2028b', '\n'];
  for (const text of texts)
    expect([text, patterns.every((each) => each.test(text))]).toEqual([
      text,
      valueSchema(NOTES.notes).safeParse(text).success,
    ]);
});

test('a label is the title in the OpenAPI document', () => {
  expect(describeField({ type: 'string', label: 'Notes' })).toMatchObject({ title: 'Notes' });
  expect(describeField({ type: 'integer', list: true, label: 'Seats' })).toMatchObject({ title: 'Seats' });
});
