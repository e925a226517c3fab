import { describe, expect, test, vi } from 'vitest';
import { openApiDocument } from '../../../../infra/openapi/document.ts';
import { INEXACT_NUMBER } from '../../../../lib/input/exact-json.ts';
import { parseLinks } from '../../../setup/links.ts';
import { newPerson } from '../../../setup/test-data.ts';
import { bare, parseError, type Response } from '../../rest/client.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/own-fields.json';
});

const DEFAULTS = { plan: 'free', isStaff: false };
let count = 0;
const newNickname = () => `Countess ${++count}`;

const read = ({ json }: Response) => json as { id: string } & Record<string, unknown>;

const readList = (response: Response): unknown => read(response);

const DATE_FORM = 'must be a date such as 2026-01-31, from the year 0001 on';
const TIME_FORM = 'must be a time with Z or an offset, such as 2026-01-31T12:00:00Z, in the years 0001 to 9999 in UTC';

/** Tests one format. The contract tests both. */
describe('own fields', () => {
  const client = bare;

  const all = () => ({
    ...newPerson(),
    nickname: newNickname(),
    memberNumber: `AB-${String(1000 + ++count)}`,
    plan: 'pro',
    age: 36,
    seat: ++count,
    score: 99.5,
    isStaff: true,
    birthday: '1815-12-10',
    lastSeenAt: '2026-01-31T12:00:00.000Z',
    tags: ['math', 'poetry'],
    phone: '+44 20 7946 0000',
  });

  test('a user without values has the defaults, and no other members', async () => {
    const person = newPerson();
    const { id, ...shown } = read(await client.create(person));
    expect(shown).toEqual({ ...person, ...DEFAULTS });
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each([
    ['nickname', 'x'.repeat(31), 'must have at most 30 characters'],
    ['nickname', '  ', 'must not be empty'],
    ['nickname', 7, 'must be a string'],
    ['nickname', null, 'must be a string'],
    ['memberNumber', 'ab-1', 'must be like AB-0042'],
    ['memberNumber', ' AB-0001', 'must be like AB-0042'],
    ['plan', 'gold', 'must be one of free, pro, team'],
    ['age', 1.5, 'must be a whole number'],
    ['age', -1, 'must be at least 0'],
    ['age', 151, 'must be at most 150'],
    ['seat', 2 ** 31, 'must be at most 2147483647'],
    ['score', 1e300, 'must be at most 100'],
    ['score', -1e300, 'must be at least -9007199254740991'],
    ['score', '1', 'must be a number'],
    ['score', 5e-324, 'must be 0, or at least 1e-130 away from 0'],
    ['score', -9e-131, 'must be 0, or at least 1e-130 away from 0'],
    ['isStaff', 'yes', 'must be true or false'],
    ['birthday', '2026-02-30', DATE_FORM],
    ['birthday', '0000-12-31', DATE_FORM],
    ['lastSeenAt', '2026-01-31', TIME_FORM],
    ['lastSeenAt', '2026-02-30T12:00:00Z', TIME_FORM],
    ['lastSeenAt', '9999-12-31T23:59:00-10:00', TIME_FORM],
    ['lastSeenAt', '0001-01-01T00:00:00+05:00', TIME_FORM],
    ['tags', 'math', 'must be a list'],
    ['tags', ['1', '2', '3', '4', '5', '6'], 'must have at most 5 items'],
  ])('%s: %j returns 400 with the field: %s', async (name, value, message) => {
    const response = await client.create({ ...newPerson(), [name]: value });
    expect(response.status).toBe(400);
    expect(parseError(response).issues).toEqual([{ path: [name], message }]);
  });

  test('an invalid list item returns 400 with its index', async () => {
    const response = await client.create({ ...newPerson(), tags: ['math', ''] });
    expect(parseError(response).issues).toEqual([{ path: ['tags', 1], message: 'must not be empty' }]);
  });

  test('the smallest numbers are stored, and times in UTC', async () => {
    for (const score of [1e-130, -1e-130, 0]) {
      const created = await client.create({ ...newPerson(), score, lastSeenAt: '2026-01-31T14:00:00+02:00' });
      expect(read(created)).toMatchObject({ score, lastSeenAt: '2026-01-31T12:00:00.000Z' });
      expect(read(await client.get(read(created).id)).score).toBe(score);
    }
  });

  test('a number that a float would change returns 400', async () => {
    for (const score of ['0.30000000000000001', '1e-400', '1e400']) {
      const response = await client.create(JSON.stringify({ ...newPerson(), score: 1 }).replace('1}', `${score}}`));
      expect(response.status).toBe(400);
      expect(parseError(response).issues).toEqual([{ path: ['score'], message: INEXACT_NUMBER }]);
    }
  });

  test('the first and the last time and date are accepted', async () => {
    for (const [birthday, sent, lastSeenAt] of [
      ['0001-01-01', '0000-12-31T23:00:00-01:00', '0001-01-01T00:00:00.000Z'],
      ['9999-12-31', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ]) {
      const { id } = read(await client.create({ ...newPerson(), birthday, lastSeenAt: sent }));
      expect(read(await client.get(id))).toMatchObject({ birthday, lastSeenAt });
    }
  });

  // RFC 3339 section 5.6.
  test('T and Z of a time may be in lower case', async () => {
    const created = await client.create({ ...newPerson(), lastSeenAt: '2026-01-31t12:00:00z' });
    expect(read(created)).toMatchObject({ lastSeenAt: '2026-01-31T12:00:00.000Z' });
  });

  test('PATCH changes only the sent fields, and null clears a field', async () => {
    const { id, ...body } = read(await client.create(all()));
    const changed = await client.update(id, { age: 37, phone: null, plan: null });
    expect(changed.headers).toMatchObject({ etag: expect.stringMatching(/^"2-/) });
    const { phone: _, ...rest } = body;
    expect(read(changed)).toEqual({ id, ...rest, age: 37, plan: 'free' });
    expect(read(await client.get(id))).toEqual(read(changed));
  });

  test('PUT clears omitted fields', async () => {
    const { id } = read(await client.create(all()));
    const person = newPerson();
    expect(read(await client.replace(id, { ...person, age: 3 }))).toEqual({ id, ...person, ...DEFAULTS, age: 3 });
    expect(read(await client.get(id))).toEqual({ id, ...person, ...DEFAULTS, age: 3 });
  });

  test('a value is free again when it is cleared, replaced or omitted by PUT, or its user is deleted', async () => {
    const [one, two, three] = [newNickname(), newNickname(), newNickname()];
    const { id } = read(await client.create({ ...newPerson(), nickname: one }));
    await client.update(id, { nickname: two });
    expect((await client.create({ ...newPerson(), nickname: one })).status).toBe(201);
    await client.update(id, { nickname: null });
    expect((await client.create({ ...newPerson(), nickname: two })).status).toBe(201);
    await client.update(id, { nickname: three });
    await client.replace(id, newPerson());
    const heir = read(await client.create({ ...newPerson(), nickname: three }));
    await client.remove(heir.id);
    expect((await client.update(id, { nickname: three })).status).toBe(200);
  });

  test('several unique fields change in one transaction: all of them or none', async () => {
    const taken = all();
    await client.create(taken);
    const { id, ...before } = read(await client.create(all()));
    const change = { nickname: newNickname(), seat: taken.seat, memberNumber: 'ZZ-0001' };
    expect((await client.update(id, change)).status).toBe(409);
    expect(read(await client.get(id))).toEqual({ id, ...before });
    expect((await client.create({ ...newPerson(), nickname: change.nickname })).status).toBe(201);
  });

  test('the list finds the user with a value of a unique field', async () => {
    const body = all();
    const created = read(await client.create(body));
    for (const query of [
      { nickname: body.nickname.toLowerCase() },
      { memberNumber: body.memberNumber },
      { seat: String(body.seat) },
    ]) {
      const response = await client.list(query);
      expect(readList(response)).toEqual([created]);
      expect(parseLinks(response)).not.toHaveProperty('next');
    }
    for (const query of [{ nickname: 'Nobody' }, { seat: 'x' }, { nickname: 'x'.repeat(5_000) }])
      expect(readList(await client.list(query))).toEqual([]);
  });

  test('spaces around a unique value have no effect, alone and beside an address or another unique value', async () => {
    const body = all();
    const created = read(await client.create(body));
    const nickname = ` ${body.nickname} `;
    for (const query of [{}, { email: body.email }, { seat: String(body.seat) }])
      expect(readList(await client.list({ ...query, nickname }))).toEqual([created]);
  });

  test('the parameters of two unique fields find the user who has both values', async () => {
    const [nickname, seat] = [`Both-${++count}`, 700 + count];
    const user = read(await client.create({ ...all(), nickname, seat }));
    expect(readList(await client.list({ nickname, seat: String(seat) }))).toEqual([user]);
    expect(readList(await client.list({ nickname, seat: '1' }))).toEqual([]);
    expect(readList(await client.list({ q: 'nobody', seat: String(seat) }))).toEqual([]);
  });

  test('the parameter of a field that is not unique returns 400', async () => {
    expect((await client.list({ age: '36' })).status).toBe(400);
  });

  test('a repeated POST with the same key returns the first own fields, and 422 for others', async () => {
    const [body, key] = [all(), { 'idempotency-key': `own-${++count}` }];
    const first = await client.create(body, key);
    expect(read(await client.create(body, key))).toEqual(read(first));
    expect((await client.create({ ...body, tags: ['math,poetry'] }, key)).status).toBe(422);
  });
});

test('the OpenAPI document describes the fields, their limits and parameters', () => {
  const { components, paths } = openApiDocument('1.0.0');
  expect(components.schemas).toMatchObject({
    User: {
      properties: {
        nickname: {
          type: 'string',
          description: 'Shown instead of the name.',
          pattern: expect.stringContaining('{0,28}'),
        },
        memberNumber: { pattern: '^[A-Z]{2}-[0-9]{4}$', examples: ['AB-0042'] },
        phone: { deprecated: true, pattern: expect.stringContaining('{0,18}') },
        plan: { $ref: '#/components/schemas/PlanValue' },
        age: { type: 'integer', minimum: 0, maximum: 150 },
        tags: { type: 'array', maxItems: 5 },
      },
      required: ['id', 'name', 'email', 'plan', 'isStaff'],
    },
    PlanValue: { type: 'string', enum: ['free', 'pro', 'team'] },
    UserPatch: {
      properties: {
        age: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
        plan: { anyOf: [{ $ref: '#/components/schemas/PlanValue' }, { type: 'null' }] },
      },
    },
  });
  const { parameters } = paths['/v1/users'].get as { parameters: { name: string }[] };
  expect(parameters.map(({ name }) => name)).toEqual(expect.arrayContaining(['nickname', 'memberNumber', 'seat']));
});
