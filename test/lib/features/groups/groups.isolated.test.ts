import { randomUUID } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { getErrorCode } from '../../graphql/client.ts';
import { createGroup, findGroup, listGroups, listNames, mutate, readGroup } from './client.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/member-fields.json';
});

const UNKNOWN_ID = '01890000-0000-7000-8000-000000000000';
const UNKNOWN = [UNKNOWN_ID, 'acme', '', `${UNKNOWN_ID}x`];

const getReason = ({ errors }: { errors?: { extensions: object }[] }) => errors?.[0]?.extensions;

describe('createGroup', () => {
  test('creates a group that is found by its id and its external id', async () => {
    const externalId = `org_${randomUUID()}`;
    const group = await createGroup({ name: ' Acme ', externalId });
    expect(group).toMatchObject({ name: 'Acme', externalId, version: 1 });
    expect(group.updatedAt).toBe(group.createdAt);
    expect(await readGroup(group.id)).toEqual(group);
    expect(await readGroup(group.id.toUpperCase())).toEqual(group);
    expect(await findGroup(externalId)).toEqual(group);
  });

  test('compares external ids exactly', async () => {
    const externalId = `org_${randomUUID()}`;
    await createGroup({ externalId });
    const upper = await createGroup({ externalId: externalId.toUpperCase() });
    expect(await findGroup(externalId.toUpperCase())).toEqual(upper);
    for (const other of [` ${externalId}`, `${externalId}x`, '', 'x'.repeat(3_000)])
      expect(await findGroup(other)).toBeNull();
  });

  test.each<[object, string]>([
    [{ name: '' }, 'name'],
    [{ name: 'a\nb' }, 'name'],
    [{ name: 'x'.repeat(257) }, 'name'],
    [{ name: 'Acme', externalId: '' }, 'externalId'],
    [{ name: 'Acme', externalId: 'x'.repeat(256) }, 'externalId'],
    [{ name: 'Acme', idempotencyKey: 'a b' }, 'idempotencyKey'],
  ])('rejects %j', async (input, member) => {
    const response = await mutate('createGroup', input);
    expect(getErrorCode(response)).toBe('BAD_USER_INPUT');
    expect(response.errors?.[0]?.extensions.issues).toMatchObject([{ path: [member] }]);
  });

  test('of parallel requests with one external id, creates one group and no trace of the others', async () => {
    const externalId = randomUUID();
    const name = `Parallel x${externalId.slice(0, 8)}`;
    const responses = await Promise.all(Array.from({ length: 10 }, () => mutate('createGroup', { name, externalId })));
    const created = responses.flatMap(({ payload }) => payload?.group ?? []);
    expect(created).toHaveLength(1);
    for (const response of responses.filter(({ payload }) => !payload))
      expect(getReason(response)).toMatchObject({
        code: 'CONFLICT',
        reason: 'VALUE_TAKEN',
        issues: [{ path: ['externalId'] }],
      });
    expect(await findGroup(externalId)).toEqual(created[0]);
    expect(await listNames({ search: name })).toEqual([name]);
  });

  test('returns the first group for a repeated idempotency key', async () => {
    const input = { name: 'Once', externalId: randomUUID(), idempotencyKey: randomUUID() };
    const responses = await Promise.all(Array.from({ length: 10 }, () => mutate('createGroup', input)));
    const groups = responses.map(({ payload }) => payload?.group);
    expect(groups).toEqual(groups.map(() => groups[0]));
    expect(await readGroup(groups[0]?.id ?? '')).toEqual(groups[0]);
    expect(getErrorCode(await mutate('createGroup', { ...input, name: 'Twice' }))).toBe('BAD_USER_INPUT');
  });
});

describe('updateGroup', () => {
  test('changes only what is sent, and nothing for equal values', async () => {
    const externalId = randomUUID();
    const group = await createGroup({ name: 'Old', externalId });
    const { payload } = await mutate('updateGroup', { id: group.id.toUpperCase(), name: 'New', ifVersion: 1 });
    expect(payload?.group).toMatchObject({ ...group, name: 'New', version: 2, updatedAt: expect.any(String) });
    for (const input of [{}, { name: ' New ' }, { externalId }])
      expect((await mutate('updateGroup', { id: group.id, ...input })).payload?.group).toEqual(payload?.group);
    expect(await readGroup(group.id)).toEqual(payload?.group);
    expect(await findGroup(externalId)).toEqual(payload?.group);
  });

  test('frees a former external id, also by null', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    const { id } = await createGroup({ externalId: first });
    await mutate('updateGroup', { id, externalId: second });
    expect(await findGroup(first)).toBeNull();
    await createGroup({ externalId: first });
    expect(getReason(await mutate('updateGroup', { id, externalId: first }))).toMatchObject({ reason: 'VALUE_TAKEN' });
    expect((await mutate('updateGroup', { id, externalId: null })).payload?.group).toMatchObject({ externalId: null });
    expect(await findGroup(second)).toBeNull();
    expect((await createGroup({ externalId: second })).externalId).toBe(second);
  });

  test('of parallel changes, each takes effect, and stale versions fail', async () => {
    const { id } = await createGroup();
    const names = Array.from({ length: 5 }, (_, at) => `Name ${'abcde'[at]}`);
    await Promise.all(names.map((name) => mutate('updateGroup', { id, name })));
    const group = await readGroup(id);
    expect(group).toMatchObject({ version: 6 });
    expect(names).toContain(group?.name);
    const stale = await mutate('updateGroup', { id, name: 'Stale', ifVersion: 1 });
    expect(getReason(stale)).toMatchObject({ code: 'PRECONDITION_FAILED', version: 6 });
    expect(await readGroup(id)).toEqual(group);
  });

  test('is found by the new name only', async () => {
    const [old, next] = [`Oldest x${randomUUID().slice(0, 8)}`, `Newest x${randomUUID().slice(0, 8)}`];
    const { id } = await createGroup({ name: old });
    await mutate('updateGroup', { id, name: next });
    expect(await listNames({ search: old })).toEqual([]);
    expect(await listNames({ search: next })).toEqual([next]);
  });
});

test.each(['updateGroup', 'deleteGroup'])('%s is NOT_FOUND for an unknown id', async (name) => {
  for (const id of UNKNOWN) expect(getErrorCode(await mutate(name, { id }))).toBe('NOT_FOUND');
});

test('group is null for an unknown id', async () => {
  for (const id of UNKNOWN) expect(await readGroup(id)).toBeNull();
});

describe('deleteGroup of an empty group', () => {
  test('removes it from all queries and frees its external id', async () => {
    const externalId = randomUUID();
    const name = `Gone x${externalId.slice(0, 8)}`;
    const { id } = await createGroup({ name, externalId });
    expect(getErrorCode(await mutate('deleteGroup', { id, ifVersion: 2 }))).toBe('PRECONDITION_FAILED');
    expect((await mutate('deleteGroup', { id, ifVersion: 1 })).payload).toEqual({ id });
    expect([await readGroup(id), await findGroup(externalId)]).toEqual([null, null]);
    expect(await listNames({ search: name })).toEqual([]);
    expect(await listNames({ first: 100 })).not.toContain(name);
    expect(getErrorCode(await mutate('deleteGroup', { id }))).toBe('NOT_FOUND');
    expect((await createGroup({ name, externalId })).id).not.toBe(id);
  });

  test('races with a change: one of both happens, or first the change', async () => {
    const { id } = await createGroup();
    const [changed, deleted] = await Promise.all([
      mutate('updateGroup', { id, name: 'Late' }),
      mutate('deleteGroup', { id }),
    ]);
    expect(deleted.payload).toEqual({ id });
    if (!changed.payload) expect(getErrorCode(changed)).toBe('NOT_FOUND');
    expect(await readGroup(id)).toBeNull();
  });
});

describe('groups', () => {
  test('lists groups in creation order, in pages, with their count', async () => {
    const before = (await listGroups({ first: 1 })).totalCount ?? 0;
    const names = ['Zulu', 'Alpha', 'Mike'].map((name) => `${name} ${randomUUID()}`);
    for (const name of names) await createGroup({ name });
    expect((await listNames({ first: 2 })).slice(-3)).toEqual(names);
    expect((await listGroups({ first: 1 })).totalCount).toBe(before + 3);
  });

  test('finds groups by the beginnings of words, without case and accents, once each', async () => {
    const word = `x${randomUUID().slice(0, 6).replaceAll('-', '')}`;
    const name = `Café ${word} ${word}s Lübeck`;
    await createGroup({ name });
    await createGroup({ name: `Other ${word}` });
    for (const search of [`CAFE ${word}`, `${word} luebeck`, `lub ${word}`]) {
      expect(await listNames({ search })).toEqual([name]);
      expect(await listNames({ search, first: 1 })).toEqual([name]);
    }
    expect((await listNames({ search: word, first: 1 })).toSorted()).toEqual([name, `Other ${word}`].toSorted());
    expect(await listNames({ search: `${word} nothing` })).toEqual([]);
    expect((await listGroups({ search: word })).totalCount).toBeNull();
  });

  test.each(['a', ' ', 'x'.repeat(300)])('rejects the search %j', async (search) => {
    await expect(listGroups({ search })).rejects.toThrow('BAD_USER_INPUT');
  });

  test.each([
    [undefined, 'nonsense'],
    ['acme', 'näh'],
    ['acme', 'x'.repeat(600)],
  ])('rejects a malformed cursor (search %j)', async (search, after) => {
    await expect(listGroups({ ...(search ? { search } : {}), after })).rejects.toThrow('BAD_USER_INPUT');
  });
});

test('groupByExternalId is null for texts that no group can have', async () => {
  for (const externalId of ['', 'x'.repeat(3000), '\ud800', '\u0000']) expect(await findGroup(externalId)).toBeNull();
});
