import fc from 'fast-check';
import { allUsers } from '../../../lib/features/change-log/topics.ts';
import { POOL_SIZE } from '../pool.ts';

const index = fc.nat(POOL_SIZE - 1);
export const userRef = index.map((index) => `USER_${index}_`);
export const postRef = index.map((index) => `POST_${index}_`);
export const emailRef = index.map((index) => `EMAIL_${index}_`);

/** Texts that have broken parsers, databases and logs. */
const HOSTILE = [
  ...[
    '',
    ' ',
    '\u0000',
    '\u0007',
    '\ud800',
    'ada\ud800',
    '\uffff',
    '\u202e',
    '🦊',
    'İ',
    'ß',
    'e\u0301',
    '%',
    '%zz',
    '%00',
    '\\',
  ],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'null', 'undefined', 'NaN', 'true', '[object Object]'],
  ...['0', '-0', '-1', '1e999', '0x10', '1.5', '9007199254740993', '99999999999999999999999', '١', 'Infinity'],
  ...["' OR 1=1 --", '{{7*7}}', '<script>alert(1)</script>', '../../etc/passwd', 'a\r\nb', '=1+1', ':pk', '#pk'],
  ...['ada@example.com', 'a@b', '@', 'a@', '"a b"@example.com', 'ada@münchen.example', 'ü@example.com', 'a@[::1]'],
  ...['2026-01-01T00:00:00Z', '2026-13-45T99:99:99Z', '0000-00-00', '+275760-09-13T00:00:00Z', '1'],
  ...['00000000-0000-0000-0000-000000000000', 'USERS', 'USER#1', 'x'.repeat(37), 'POST#', 'CHANGES', 'PAGES#2'],
];

const huge = fc
  .tuple(fc.constantFrom('a', ' ', '9', '{', '"', '\\', '🦊', '%41'), fc.constantFrom(257, 1_025, 5_000))
  .map(([text, count]) => text.repeat(count));

/** Many combining marks, which normalization must sort. */
const marked = fc
  .tuple(fc.constantFrom('\u0301', '\u0301\u0316', '\u0345\u0301\u0316\u031b'), fc.constantFrom(300, 5_000, 48_000))
  .map(([marks, length]) => `ad${marks.repeat(length / marks.length)}`);

export const text = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
  { weight: 2, arbitrary: fc.oneof(userRef, postRef, emailRef) },
  { weight: 1, arbitrary: huge },
  { weight: 1, arbitrary: marked },
);

export const name = fc.oneof(fc.constantFrom('Ada Lovelace', 'Grace', 'Zoë', '李', '🦊'), text);
export const newEmail = fc.uuid().map((unique) => `${unique}@example.org`);
export const email = fc.oneof(newEmail, newEmail, emailRef, text);
export const userId = fc.oneof({ weight: 3, arbitrary: userRef }, fc.uuid(), text);
export const postId = fc.oneof({ weight: 3, arbitrary: postRef }, userRef, text);

const encode = (text: string) => Buffer.from(text).toString('base64url');

/** Contains current times, which differ between runs, because old cursors are rejected. */
export const cursor = fc.oneof(
  fc
    .tuple(fc.constantFrom('ad', 'ada', 'example', 'ad'.repeat(700)), fc.oneof(userRef, fc.uuid(), text))
    .map((parts) => encode(parts.join('\t'))),
  fc
    .tuple(fc.constantFrom(allUsers.name, 'x'), fc.integer(), fc.constantFrom(0, Date.now()), text, fc.integer())
    .map((content) => encode(JSON.stringify(content))),
);

const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(0, 1, 20, 100, 101, 1000, 2 ** 31, 2 ** 53));
export const wholeNumber = fc.oneof(fc.integer({ min: 1, max: 100 }), number);

/** Many short names fit into a body. A long name grows when quoted in a message. */
const memberNames = fc.constantFrom<readonly [count: number, name: string]>(
  ...([
    [51, 'f'],
    [400, 'f'],
    [9_000, 'f'],
    [11_000, ''],
    [55, '"'.repeat(800)],
    [300, '\u0001'.repeat(40)],
  ] as const),
);

export const crowded = (known: Record<string, unknown> = {}): fc.Arbitrary<Record<string, unknown>> =>
  memberNames.map(([count, name]) => ({
    ...known,
    ...Object.fromEntries(Array.from({ length: count }, (_, at) => [`${name}${at.toString(36)}`, 1])),
  }));

export const wrongType = fc.oneof(
  fc.constantFrom<unknown>(null, true, 1.5, -1, [], {}, [[]], [[1]], { a: { b: [{ c: 1 }] } }),
  fc.constantFrom(20, 28).map(nest),
  text.map((member) => ({ [member]: [member] })),
  crowded(),
  crowded().map((members) => [[members]]),
);

export const json = fc.oneof(
  { weight: 8, arbitrary: fc.jsonValue({ stringUnit: 'binary', maxDepth: 4 }) },
  { weight: 4, arbitrary: text },
  { weight: 1, arbitrary: fc.constantFrom(20, 33, 100, 500).map(nest) },
  { weight: 1, arbitrary: wrongType },
);

function nest(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value };
  return value;
}
