import { expect, test, vi } from 'vitest';
import { createPeople } from '../../../infra/local/sample.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/infra/own-fields/named-fields.json';
});

test('values suit the names of fields', () => {
  const people = createPeople(200);
  const list = (name: string) =>
    people.flatMap(({ fields }) => (fields[name] === undefined ? [] : [`${fields[name]}`]));
  const expectAll = (name: string, pattern: RegExp) => {
    const values = list(name);
    expect(values.length).toBeGreaterThan(100);
    for (const value of values) expect(value).toMatch(pattern);
  };
  expectAll('phone', /^\+1 \d{3} 555 01\d\d$/);
  expectAll('mobile', /^\+1\d{3}55501\d\d$/);
  expectAll('birthday', /^(19[4-9]\d|200[0-7])-\d\d-\d\d$/);
  expectAll('company', /^\p{Lu}/u);
  expectAll('city', /^\p{Lu}/u);
  expectAll('status', /^(active|invited|paused)$/);
  expect(list('city')).not.toEqual(list('capacity'));
});
