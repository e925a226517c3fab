import fc from 'fast-check';
import declared from '../../setup/own-fields.json' with { type: 'json' };
import { json, text, wholeNumber } from './values.ts';

type Name = keyof typeof declared;

export const OWN_NAMES = Object.keys(declared).join(' ');

/** Valid values. Unique fields have few, so that users conflict. */
const valid: Record<Name, fc.Arbitrary<unknown>> = {
  nickname: fc.constantFrom('Ada', 'ADA', ' ada ', 'e\u0301', 'é', 'ß', 'ı', '\u{1d160}'.repeat(30), 'Zoë'),
  memberNumber: fc.constantFrom('AB-0042', 'ZZ-9999', 'AB-0043'),
  plan: fc.constantFrom('free', 'pro', 'team'),
  age: fc.integer({ min: 0, max: 150 }),
  seat: fc.integer({ min: 1, max: 99 }),
  score: fc.oneof(
    fc.double({ min: -1e6, max: 100, noNaN: true }).filter((score) => score === 0 || Math.abs(score) >= 1e-130),
    fc.constantFrom(1e-130, -1e-130),
  ),
  isStaff: fc.boolean(),
  birthday: fc.constantFrom('2026-01-31', '2024-02-29', '0001-01-01', '9999-12-31'),
  lastSeenAt: fc.constantFrom('2026-01-31T12:00:00Z', '2026-01-31T12:00:00.123456789+23:59', '0001-01-01T00:00:00Z'),
  tags: fc.array(fc.constantFrom('math', 'poetry', 'Ada King', '李', '🦊'), { maxLength: 5 }),
  phone: fc.constantFrom('+44 20 7946 0000'),
};

const wrong = fc.oneof(
  fc.constantFrom<unknown>(
    '2026-02-29',
    '0000-12-31',
    '9999-12-31T23:59:59-23:59',
    '0001-01-01T00:00:00+10:00',
    '2026-01-31T12:00Z',
  ),
  fc.constantFrom<unknown>(
    null,
    'gold',
    ' AB-0042',
    151,
    0,
    2 ** 31,
    -(2 ** 53),
    1e300,
    5e-324,
    -1e-131,
    [null],
    ['', '1', '2', '3', '4', '5'],
  ),
  wholeNumber,
  text,
  json,
);

export const validValues = fc.record(valid, { requiredKeys: [] });

export const ownValues = fc.record(
  Object.fromEntries(
    Object.entries(valid).map(([name, value]) => [
      name,
      fc.oneof({ weight: 12, arbitrary: value }, { weight: 1, arbitrary: wrong }),
    ]),
  ),
  { requiredKeys: [] },
);

const asText = (value: fc.Arbitrary<unknown>) => fc.oneof(value.map(String), text);

export const uniqueParameters = {
  nickname: asText(valid.nickname),
  memberNumber: asText(valid.memberNumber),
  seat: asText(fc.oneof(valid.seat, fc.constantFrom('007', '1e0', ' 1 ', '0x1', '1.0'))),
};
