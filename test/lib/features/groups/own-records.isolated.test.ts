import { beforeAll, expect, test, vi } from 'vitest';
import { issuer, service, startServiceBeforeAll } from '../../auth/service-with-tokens.ts';
import { newOperator, newPerson } from '../me/person.ts';
import { storeGroup } from './stored-groups.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/group-person-fields.json';
});

beforeAll(() => {
  vi.spyOn(console, 'info').mockImplementation(() => {});
});
startServiceBeforeAll();

const ME = '/v1/users/me';

test('people neither see nor change their memberships, and keep them when they change their record', async () => {
  const group = await storeGroup();
  const [ada, operator] = [await newPerson(service.url, issuer), await newOperator(service.url, issuer)];
  const { id } = (await ada.send(ME, { method: 'POST', body: { name: 'Ada' } })).body as { id: string };
  const groups = [{ id: group, role: 'admin' }];
  expect(await operator.send(`/v1/users/${id}`, { method: 'PATCH', body: { groups } })).toMatchObject({ status: 200 });
  for (const path of [ME, `${ME}/data`, '/api/users/me'])
    expect(JSON.stringify((await ada.send(path)).body)).not.toMatch(new RegExp(`"groups"|${group}`));
  expect(await ada.graphql(`{ me { id groups } }`)).toMatchObject({
    errors: [{ message: 'Cannot query field "groups" on type "Me".' }],
  });
  for (const body of [{ groups: [] }, { unknown: [] }]) {
    const [name] = Object.keys(body);
    expect(await ada.send(ME, { method: 'PATCH', body })).toMatchObject({
      status: 400,
      body: { detail: `${name}: is not a known member` },
    });
  }
  expect(await ada.send(ME, { method: 'PATCH', body: { name: 'Eve' } })).toMatchObject({ status: 200 });
  expect(await operator.send(`/v1/users/${id}`)).toMatchObject({ body: { name: 'Eve', groups } });
});
