import { beforeEach, expect, test } from 'vitest';
import { newPerson } from '../../../setup/test-data.ts';
import { deploy } from './deploy.ts';

beforeEach(async () => (await deploy({})).clearTable());

test('an added field has no value, or its default, for existing users', async () => {
  const before = await deploy({});
  const id = await before.add();
  const after = await deploy({ nickname: { type: 'string' }, plan: { type: 'string', default: 'free' } });
  expect(Object.keys(await after.get(id))).toEqual(['id', 'name', 'email', 'plan']);
  expect((await after.update(id, { nickname: 'ada' })).json).toMatchObject({ nickname: 'ada', plan: 'free' });
});

test('a removed field is not returned, accepted or searched, and its values survive PATCH and PUT', async () => {
  const before = await deploy({ nickname: { type: 'string', unique: true, search: true } });
  const id = await before.add({ nickname: 'countess' });
  await before.run();
  const after = await deploy({});
  expect(Object.keys(await after.get(id))).toEqual(['id', 'name', 'email']);
  expect((await after.update(id, { nickname: 'x' })).status).toBe(400);
  expect(await after.find({ q: 'countess' })).toEqual([]);
  expect((await after.update(id, { name: 'Ada' })).status).toBe(200);
  expect((await after.replace(id, newPerson())).status).toBe(200);
  expect((await after.readItem(id))?.fields).toEqual({ nickname: 'countess' });
});

test('the next write deletes index entries of a removed field, and the backfill its claims', async () => {
  const before = await deploy({ nickname: { type: 'string', unique: true, search: true } });
  const id = await before.add({ nickname: 'countess' });
  await before.run();
  const after = await deploy({});
  await after.update(id, { name: 'Augusta' });
  expect(await after.findItems('unique#nickname#countess')).toHaveLength(2); // The claim, and the user's `derived`.
  expect(await after.findItems('search#co')).toEqual([]);
  await after.run();
  expect(await after.findItems('unique#nickname#countess')).toEqual([]);
  expect((await after.checkTable()).found).toEqual({});
});

test('check-table keeps items of a field that only the service knows', async () => {
  const service = await deploy({ nickname: { type: 'string', unique: true } });
  await service.add({ nickname: 'countess' });
  await service.run();
  const checkout = await deploy({ seat: { type: 'integer', unique: true } });
  await expect(checkout.checkTable('counts')).rejects.toThrow('The service declares nickname as unique');
  expect((await service.checkTable()).found).toEqual({});
});

test('a field that becomes required is required in POST and PUT, and users without it can be read and patched', async () => {
  const before = await deploy({ plan: { type: 'string' } });
  const id = await before.add();
  const after = await deploy({ plan: { type: 'string', required: true } });
  const { name, email } = await after.get(id);
  expect((await after.update(id, { name: 'Ada' })).status).toBe(200);
  expect(await after.get(id)).toEqual({ id, name: 'Ada', email });
  const missing = { status: 400, json: { issues: [expect.objectContaining({ path: ['plan'] })] } };
  expect(await after.replace(id, { name, email })).toMatchObject(missing);
  expect(await after.create()).toMatchObject(missing);
  expect((await after.replace(id, { name, email, plan: 'pro' })).status).toBe(200);
  expect((await after.update(id, { plan: null })).status).toBe(400);
});

test('a value beyond narrowed limits is returned, and survives PATCH of another field', async () => {
  const before = await deploy({ code: { type: 'string' }, seat: { type: 'integer' } });
  const id = await before.add({ code: 'a long code', seat: 900 });
  const after = await deploy({ code: { type: 'string', maxLength: 3 }, seat: { type: 'integer', maximum: 10 } });
  expect((await after.update(id, { seat: 9 })).json).toMatchObject({ code: 'a long code', seat: 9 });
  expect((await after.update(id, { code: 'another long one' })).status).toBe(400);
  const user = await after.get(id);
  expect(user).toMatchObject({ code: 'a long code' });
  expect((await after.replace(id, { name: user.name, email: user.email, code: user.code })).status).toBe(400);
  expect((await after.update(id, { code: 'abc' })).status).toBe(200);
});

test('a changed default applies to all users without a value', async () => {
  const before = await deploy({ plan: { type: 'string', default: 'free' } });
  const [none, own] = [await before.add(), await before.add({ plan: 'pro' })];
  const after = await deploy({ plan: { type: 'string', default: 'basic' } });
  expect(await after.get(none)).toMatchObject({ plan: 'basic' });
  expect(await after.get(own)).toMatchObject({ plan: 'pro' });
});

test('a repeated POST returns the first answer although the new release declares the fields in another order', async () => {
  const [plan, seats] = [{ type: 'string' }, { type: 'integer' }] as const;
  const [body, key] = [{ ...newPerson(), plan: 'pro', seats: 3 }, { 'idempotency-key': 'order' }];
  const first = await (await deploy({ plan, seats })).post(body, key);
  const repeated = await (await deploy({ seats, plan })).post(body, key);
  expect([first.status, repeated.status]).toEqual([201, 201]);
});
