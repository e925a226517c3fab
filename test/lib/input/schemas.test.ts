import { describe, expect, test } from 'vitest';
import { newPerson } from '../../setup/test-data.ts';
import { createUser, mutate } from '../graphql/client.ts';
import { bare, parseError } from '../rest/client.ts';

const INVISIBLE = [
  ...['\u00ad', '\u034f', '\u115f', '\u1160', '\u17b4', '\u180b', '\u180e', '\u200b', '\u200c', '\u200d', '\u2060'],
  ...['\u2800', '\u3164', '\ufe0f', '\uffa0', '\ufff9', '\u{1d159}', '\u{1d173}', '\u{e0041}', '\u{e0100}'],
];
const DIRECTION = [
  ...['\u061c', '\u200e', '\u200f', '\u202a', '\u202b', '\u202c', '\u202d', '\u202e'],
  ...['\u2066', '\u2067', '\u2068', '\u2069'],
];
const faults: [string, string[], string][] = [
  ['only invisible characters', [...INVISIBLE, INVISIBLE.join(' ')], 'must have a visible character'],
  [
    'a character that changes the direction',
    DIRECTION.map((character) => `Ada ${character}moc.live@nimda`),
    'must not contain characters that change the direction of text',
  ],
  ['a line or paragraph separator', ['Ada\u2028Lovelace', 'Ada\u2029Lovelace'], 'must be a single line'],
  [
    'more than 256 characters, of which none is valid',
    ['\u202e\u0000'.repeat(10_000)],
    'must have at most 256 characters',
  ],
];

describe.each(faults)('a text with %s is rejected', (_, texts, message) => {
  test('as a name in REST', async () => {
    const user = await bare.newUser();
    for (const name of texts) {
      const error = { error: `name: ${message}`, issues: [{ path: ['name'], message }] };
      expect(parseError(await bare.create({ ...newPerson(), name }))).toEqual(error);
      expect(parseError(await bare.update(user.id, { name }))).toEqual(error);
    }
  });

  test('as a name and as a title in GraphQL', async () => {
    const { id: authorId } = await createUser();
    for (const text of texts)
      for (const [name, input] of [
        ['createUser', { ...newPerson(), name: text }],
        ['createPost', { authorId, title: text }],
      ] as const) {
        const { errors } = await mutate(name, input);
        expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT']);
        expect(errors?.[0]?.message).toContain(message);
      }
  });
});

test('characters that emoji and scripts need are kept', async () => {
  const names = ['👩‍👩‍👧', '❤️', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'نامه‌ای', 'ශ්‍රී', 'Ni\u00adna', 'עדה', '葛\u{e0100}'];
  for (const name of names) expect((await bare.newUser({ name })).name).toBe(name);
});
