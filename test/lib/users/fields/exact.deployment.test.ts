import { beforeEach, describe, expect, test } from 'vitest';
import { describeField } from '../../../../infra/openapi/values.ts';
import { type Deployed, deploy } from './deploy.ts';

const EXACT = { account: { type: 'string', unique: 'exact' } } as const;
const FOLDED = { account: { type: 'string', unique: true } } as const;

beforeEach(async () => (await deploy({})).clearTable());

/** Spellings that are equal with `unique: true` and different with `unique: 'exact'`. */
const SPELLINGS = ['auth0|ada\u00e9', 'AUTH0|ada\u00e9', 'auth0|adae\u0301', ' auth0|ada\u00e9', 'auth0|ada\u00e9 '];

describe.each([
  ['true', FOLDED],
  ['exact', EXACT],
])('invisible characters in a field with unique %s', (_, declaration) => {
  const HIDDEN = ['\u200b', '\u00ad', '\u2060', '\ufe0f', '\u034f', '\u3164', '\u2800', '\ufffb', '\u{e0041}'];

  test('make no other value, but are stored', async () => {
    const service = await deploy(declaration);
    const id = await service.add({ account: 'count\u00adess' });
    for (const hidden of HIDDEN) {
      const spellings = ['countess', `${hidden}countess`, `count${hidden}ess`, `countess${hidden}${hidden}`];
      for (const account of spellings) {
        expect((await service.create({ account })).status, JSON.stringify(account)).toBe(409);
        expect(await service.find({ account }), JSON.stringify(account)).toEqual([id]);
      }
    }
    expect(await service.get(id)).toMatchObject({ account: 'count\u00adess' });
    await service.update(id, { account: '\u200bcountess' });
    expect(await service.get(id)).toMatchObject({ account: '\u200bcountess' });
    expect(await service.find({ account: 'countess' })).toEqual([id]);
    expect((await service.checkTable()).found).toEqual({});
  });

  test('cannot be the whole value', async () => {
    const service = await deploy(declaration);
    for (const hidden of HIDDEN) {
      expect((await service.create({ account: hidden })).status, JSON.stringify(hidden)).toBe(400);
      expect(await service.find({ account: hidden }), JSON.stringify(hidden)).toEqual([]);
    }
    // Values written by hand have no claim, so users do not compete for them.
    const ids = [await service.add(), await service.add()];
    for (const [at, id] of ids.entries())
      await service.putByHand({ ...(await service.readItem(id)), fields: { account: HIDDEN[at] } });
    for (const id of ids) expect((await service.update(id, { name: 'Ada' })).status).toBe(200);
    expect((await service.checkTable()).found).toEqual({});
  });
});

test('with unique true, the space beside an invisible character at an end makes no other value', async () => {
  const service = await deploy(FOLDED);
  const id = await service.add({ account: 'countess' });
  for (const account of ['\u200b countess', 'countess \u2060'])
    expect((await service.create({ account })).status, JSON.stringify(account)).toBe(409);
  expect(await service.find({ account: ' \u200b countess ' })).toEqual([id]);
});

test('with unique true, an invisible character between a letter and its accent makes no other value', async () => {
  const service = await deploy(FOLDED);
  const id = await service.add({ account: 'ad\u00e9' });
  expect(await service.find({ account: 'ade\u034f\u0301' })).toEqual([id]);
});

describe('a field with unique exact', () => {
  test('distinguishes spellings of a text, also in lookups', async () => {
    const service = await deploy(EXACT);
    const ids: string[] = [];
    for (const account of SPELLINGS) ids.push(await service.add({ account }));
    const { fetchData } = await import('../../graphql/client.ts');
    for (const [at, account] of SPELLINGS.entries()) {
      const id = ids[at];
      expect(await service.get(String(id))).toMatchObject({ account });
      expect(await service.find({ account })).toEqual([id]);
      const query = 'query ($account: String!) { userByAccount(account: $account) { id account } }';
      expect(await fetchData(query, { account })).toEqual({ userByAccount: { id, account } });
    }
    // The address finds the user, and the other parameter, `account`, must equal exactly.
    const { email } = await service.get(String(ids[0]));
    const findWith = (account = '') => service.find({ email: String(email), account });
    expect([await findWith(SPELLINGS[0]), await findWith(SPELLINGS[1])]).toEqual([[ids[0]], []]);
    for (const account of ['AUTH0|ADA\u00c9', 'auth0|adae', '  auth0|ada\u00e9', ''])
      expect(await service.find({ account }), account).toEqual([]);
    expect((await service.checkTable()).found).toEqual({});
  });

  test('rejects the same text, in POST, PUT, PATCH and GraphQL', async () => {
    const service = await deploy(EXACT);
    await service.add({ account: 'auth0|ada' });
    const other = await service.add({ account: 'AUTH0|ada' });
    const taken = { status: 409, json: { error: 'Another user has this account' } };
    expect(await service.create({ account: 'auth0|ada' })).toMatchObject(taken);
    expect(await service.update(other, { account: 'auth0|ada' })).toMatchObject(taken);
    expect(
      await service.replace(other, { name: 'Ada', email: 'exact@example.com', account: 'auth0|ada' }),
    ).toMatchObject(taken);
    const { mutate } = await import('../../graphql/client.ts');
    expect((await mutate('updateUser', { id: other, account: 'auth0|ada' })).text).toContain('VALUE_TAKEN');
  });

  test('moves the claim when only the case changes, so that another user can have the former value', async () => {
    const service = await deploy(EXACT);
    const id = await service.add({ account: 'Ada' });
    expect((await service.update(id, { account: 'ada' })).status).toBe(200);
    const other = await service.add({ account: 'Ada' });
    expect([await service.find({ account: 'ada' }), await service.find({ account: 'Ada' })]).toEqual([[id], [other]]);
    await service.remove(id);
    expect(await service.find({ account: 'Ada' })).toEqual([other]);
    expect((await service.checkTable()).found).toEqual({});
  });

  test('accepts only single lines of visible text that fit into a key', async () => {
    const service = await deploy(EXACT);
    const readStatus = async (account: string) => (await service.create({ account })).status;
    expect(await readStatus('\u{1f600}'.repeat(240))).toBe(201);
    expect(await service.find({ account: '\u{1f600}'.repeat(240) })).toHaveLength(1);
    for (const account of ['\u{1f600}'.repeat(241), 'x'.repeat(257), '   ', 'a\nb', 'a\u202eb', ''])
      expect(await readStatus(account), JSON.stringify(account)).toBe(400);
    expect(await service.find({ account: '\u{1f600}'.repeat(256) })).toEqual([]);
  });

  test('with a pattern matches the text as sent', async () => {
    const service = await deploy({ account: { ...EXACT.account, pattern: '^[a-z0-9|]+$', example: 'auth0|1' } });
    expect((await service.create({ account: 'auth0|1' })).status).toBe(201);
    for (const account of ['AUTH0|1', ' auth0|1']) expect((await service.create({ account })).status).toBe(400);
  });

  test('is described without the pattern of trimmed text', () => {
    const schema = describeField(EXACT.account);
    expect(schema).toMatchObject({ type: 'string', 'x-unique': 'exact', 'x-maxLength': 256 });
    expect(schema).not.toHaveProperty('pattern');
    expect(describeField(FOLDED.account)).toMatchObject({ 'x-unique': true, pattern: expect.any(String) });
  });
});

const findClaims = (service: Deployed) => service.findItems('unique#account');

describe('a declaration that changes', () => {
  test('from true to exact: the backfill moves every claim, and other spellings become free', async () => {
    const before = await deploy(FOLDED);
    const ids = [await before.add({ account: 'Ada' }), await before.add({ account: 'bob' })];
    await before.run();
    expect((await before.create({ account: 'ADA' })).status).toBe(409);
    const after = await deploy(EXACT);
    expect(await after.run()).toMatchObject({ backfill: { unique: ['account:exact'], rewritten: 2, duplicates: 0 } });
    expect((await findClaims(after)).filter((key) => key.endsWith('UNIQUE'))).toEqual(
      expect.arrayContaining(['UNIQUE#account:exact#Ada UNIQUE', 'UNIQUE#account:exact#bob UNIQUE']),
    );
    expect(await after.findItems('unique#account#')).toEqual([]);
    expect([await after.find({ account: 'Ada' }), await after.find({ account: 'bob' })]).toEqual(ids.map((id) => [id]));
    expect(await after.find({ account: 'ada' })).toEqual([]);
    expect((await after.create({ account: 'ADA' })).status).toBe(201);
    expect((await after.create({ account: 'Ada' })).status).toBe(409);
    expect((await after.checkTable()).found).toEqual({});
  });

  test('from exact to true: of spellings of a text, the oldest user has the claim', async () => {
    const before = await deploy(EXACT);
    const [oldest, newer] = [await before.add({ account: 'Ada' }), await before.add({ account: 'ada' })];
    await before.run();
    const after = await deploy(FOLDED);
    expect(await after.run()).toMatchObject({ backfill: { rewritten: 2, duplicates: 1 } });
    expect(await after.find({ account: 'ADA' })).toEqual([oldest]);
    expect(await after.findItems('unique#account:exact')).toEqual([]);
    expect((await after.create({ account: 'adA' })).status).toBe(409);
    const { found, duplicates } = await after.checkTable();
    expect({ found, duplicates }).toMatchObject({ found: {}, duplicates: [{ userId: newer, ownerId: oldest }] });
    const again = await deploy(EXACT);
    await again.run();
    expect([await again.find({ account: 'Ada' }), await again.find({ account: 'ada' })]).toEqual([[oldest], [newer]]);
    expect((await again.checkTable()).found).toEqual({});
  });

  test('loses no value while both releases write', async () => {
    const old = await deploy(FOLDED);
    const id = await old.add({ account: 'Ada' });
    await old.run();
    const next = await deploy(EXACT);
    await next.update(id, { name: 'Next' });
    await old.update(id, { name: 'Old' });
    expect(await old.find({ account: 'ADA' })).toEqual([id]);
    expect(await next.find({ account: 'Ada' })).toEqual([id]);
    expect(await next.find({ account: 'ADA' })).toEqual([]);
    const late = await old.add({ account: 'Bob' });
    await next.run();
    expect(await next.find({ account: 'Bob' })).toEqual([late]);
    expect(await next.findItems('unique#account#')).toEqual([]);
    expect((await next.checkTable()).found).toEqual({});
  });

  test('is reported by check-table, which changes no items of the other release', async () => {
    const service = await deploy(FOLDED);
    await service.add({ account: 'Ada' });
    await service.run();
    const checkout = await deploy(EXACT);
    await expect(checkout.checkTable('counts')).rejects.toThrow('The service declares account as unique');
  });

  test('to no declaration: purge-field deletes values and exact claims', async () => {
    const before = await deploy(EXACT);
    await before.add({ account: 'Ada' });
    await before.run();
    const without = await deploy({});
    await expect(without.purgeField('account')).rejects.toThrow(
      'The deployed service still declares account as a unique',
    );
    await without.run();
    expect(await without.purgeField('account')).toMatchObject({ users: 1 });
    expect((await without.findItems('account')).filter((key) => !/^(CHANGES|FIELDS)/.test(key))).toEqual([]);
  });
});
