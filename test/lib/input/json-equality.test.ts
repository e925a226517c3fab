import { describe, expect, test } from 'vitest';
import { isEqualJson } from '../../../lib/input/json-equality.ts';

const withoutPrototype = Object.assign(Object.create(null), { a: 1 });

describe('equal JSON', () => {
  test.each<[unknown, unknown]>([
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [[{ a: { b: 1, c: [{ d: 1, 2: 2, 10: 3 }] } }], [{ a: { c: [{ 10: 3, 2: 2, d: 1 }], b: 1 } }]],
    [{ a: 1 }, { a: 1, b: undefined }],
    [{ a: 1 }, withoutPrototype],
    [JSON.parse('{"__proto__": 1, "b": 2}'), JSON.parse('{"b": 2, "__proto__": 1}')],
    [-0, 0],
    [undefined, undefined],
  ])('%j and %j', (one, other) => {
    expect(isEqualJson(one, other)).toBe(true);
  });
});

describe('different JSON', () => {
  test.each<[unknown, unknown]>([
    [undefined, null],
    [{ a: null }, {}],
    [
      [1, 2],
      [2, 1],
    ],
    [['a'], { 0: 'a' }],
    [[], {}],
    [1, '1'],
    ['null', null],
    [{ a: { b: 1 } }, { a: { b: 2 } }],
    [JSON.parse('{"__proto__": 1}'), {}],
    ['é', 'e\u0301'],
  ])('%j and %j', (one, other) => {
    expect(isEqualJson(one, other)).toBe(false);
  });
});
