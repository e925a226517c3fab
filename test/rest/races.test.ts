import { describe, expect, test } from 'vitest';
import { TableName, table } from '../../lib/dynamodb/client.ts';
import { auditClaims } from '../setup/claims.ts';
import { tally } from '../setup/tally.ts';
import { newPerson } from '../setup/test-data.ts';
import { clients } from './client.ts';

const times = <Result>(count: number, act: (at: number) => Result) => Array.from({ length: count }, (_, at) => act(at));

const expectConsistentClaims = async () =>
  expect(await auditClaims(table, TableName)).toMatchObject({ usersWithoutClaim: [], claimsWithoutUser: [] });

describe.each(clients)('$path', (client) => {
  test('of 50 creates of one address at once, one is 201 and 49 are 409', async () => {
    const { email } = newPerson();
    const creates = times(50, (at) => client.create({ name: 'Racer', email: at % 2 ? email : email.toUpperCase() }));
    expect(tally(await Promise.all(creates))).toEqual({ 201: 1, 409: 49 });
    await expectConsistentClaims();
  });

  test('of 50 updates with one If-Match at once, one is 200 and 49 are 412', async () => {
    const { id } = await client.newUser();
    const { etag } = (await client.get(id)).headers;
    const updates = times(50, (at) => client.update(id, { name: `Racer ${at}` }, { 'if-match': String(etag) }));
    expect(tally(await Promise.all(updates))).toEqual({ 200: 1, 412: 49 });
  });

  test('of 10 users who take one address at once, one has it', async () => {
    const users = await Promise.all(times(10, () => client.newUser()));
    const { email } = newPerson();
    const writes = users.map(({ id }, at) =>
      at % 2 ? client.update(id, { email }) : client.replace(id, { name: 'Racer', email }),
    );
    expect(tally(await Promise.all(writes))).toEqual({ 200: 1, 409: 9 });
    await expectConsistentClaims();
  });

  test('of 10 deletes at once, one is 204 and 9 are 404', async () => {
    const { id } = await client.newUser();
    expect(tally(await Promise.all(times(10, () => client.remove(id))))).toEqual({ 204: 1, 404: 9 });
  });

  test('of an update of the name and one of the email at once, both are kept', async () => {
    const { id } = await client.newUser();
    const { name, email } = newPerson();
    expect(tally(await Promise.all([client.update(id, { name }), client.update(id, { email })]))).toEqual({ 200: 2 });
    expect(await client.read(id)).toEqual({ id, name, email });
  });

  test('changes of one user’s address at once leave no address without its user', async () => {
    const { id } = await client.newUser();
    const updates = times(5, () => client.update(id, { email: newPerson().email }));
    expect(tally(await Promise.all(updates))).toEqual({ 200: 5 });
    await expectConsistentClaims();
  });

  test('a delete and a change of the address at once leave neither user nor address', async () => {
    for (let round = 0; round < 5; round++) {
      const user = await client.newUser();
      const { email } = newPerson();
      await Promise.all([client.update(user.id, { email }), client.remove(user.id)]);
      expect((await client.get(user.id)).status).toBe(404);
    }
    await expectConsistentClaims();
  });
});
