import { beforeEach, expect, test } from 'vitest';
import { deploy } from '../../users/fields/deploy.ts';

const OWN = { account: { type: 'string' } } as const;
const SUBJECT = { account: { type: 'string', subject: true, self: 'hidden' } } as const;
const OTHERS = { ...SUBJECT, nickname: { type: 'string', unique: true, self: 'write' } } as const;

beforeEach(async () => (await deploy({})).clearTable());

async function loadOwnRecords() {
  const { parsePerson } = await import('../../../../lib/features/me/person.ts');
  const { findMe } = await import('../../../../lib/features/me/read.ts');
  const { createMe } = await import('../../../../lib/features/me/write.ts');
  const newPerson = (sub: string) =>
    parsePerson({ sub, iss: 'https://id.example.org', email: `${sub}@example.org`, email_verified: true });
  return { findMe, create: (sub: string) => createMe(newPerson(sub), { name: 'Ada' }), newPerson };
}

test('records can be created only after all users have claims of their subjects', async () => {
  const before = await deploy(OWN);
  const id = await before.add({ account: 'ada' });
  await before.run();

  const service = await deploy(SUBJECT);
  const { findMe, create, newPerson } = await loadOwnRecords();
  await expect(create('ada')).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: 'The index of unique values is being completed; please try again in a minute',
    retryAfterSeconds: 60,
  });
  await service.run();
  await expect(create('ada')).rejects.toMatchObject({ reason: 'SUBJECT_TAKEN' });
  expect((await findMe(newPerson('ada')))?.user.id).toBe(id);
  expect(await create('bob')).toMatchObject({ email: 'bob@example.org' });

  // Own records work before the next backfill, because all claims of subjects exist already.
  const later = await deploy(OTHERS);
  const { create: createLater } = await loadOwnRecords();
  expect(await createLater('eve')).toMatchObject({ email: 'eve@example.org' });
  await later.run();
  expect((await later.checkTable()).found).toEqual({});
});

test('after a write by the former release, records can be created only after another backfill', async () => {
  const before = await deploy(OWN);
  await before.run();
  const service = await deploy(SUBJECT);
  const { create } = await loadOwnRecords();
  await service.run();
  // The former release's on-change consumes the write.
  await before.add({ account: 'ada' });
  await expect(create('ada')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await service.run();
  await expect(create('ada')).rejects.toMatchObject({ reason: 'SUBJECT_TAKEN' });
});

test('subjects stored as strings are read as lists, and are rewritten with the next own field', async () => {
  const LIST = { account: { ...SUBJECT.account, list: true }, plan: { type: 'string', self: 'write' } } as const;
  const before = await deploy(SUBJECT);
  const id = await before.add({ account: 'ada' });
  await before.run();

  const service = await deploy(LIST);
  const { findMe, newPerson } = await loadOwnRecords();
  expect(await service.get(id)).toMatchObject({ account: ['ada'] });
  expect((await findMe(newPerson('ada')))?.user.id).toBe(id);
  expect(await service.find({ account: 'ada' })).toEqual([id]);
  expect((await service.update(id, { account: ['ada'] })).status).toBe(200);
  expect((await service.readItem(id))?.fields).toEqual({ account: 'ada' });
  expect((await service.update(id, { account: ['bob'] })).status).toBe(409);
  await service.update(id, { plan: 'pro' });
  expect((await service.readItem(id))?.fields).toEqual({ account: ['ada'], plan: 'pro' });
  await service.run();
  expect((await service.checkTable()).found).toEqual({});
  await service.update(id, { account: ['ada', 'work'] });
  await service.run();
  expect((await service.checkTable()).found).toEqual({});

  // The former release, which still runs for a moment, keeps both claims.
  const former = await deploy(SUBJECT);
  await former.update(id, { name: 'Ada King' });
  await former.run();
  await deploy(LIST);
  const { findMe: find } = await loadOwnRecords();
  for (const login of ['ada', 'work']) expect((await find(newPerson(login)))?.user.id).toBe(id);
  const last = await deploy(LIST);
  await last.update(id, { account: ['ada'] });
  await (await deploy(SUBJECT)).run();
  const single = await deploy(SUBJECT);
  expect(await single.get(id)).toMatchObject({ account: 'ada' });
  expect(await single.find({ account: 'ada' })).toEqual([id]);
});
