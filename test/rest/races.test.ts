import { describe, expect, test } from 'vitest';
import { TableName, table } from '../../lib/table.ts';
import { auditClaims } from '../setup/claims.ts';
import { tally } from '../setup/tally.ts';
import { doors, person } from './doors.ts';

const times = <Result>(count: number, act: (at: number) => Result) => Array.from({ length: count }, (_, at) => act(at));

const wantSoundClaims = async () =>
  expect(await auditClaims(table, TableName)).toMatchObject({ usersWithoutClaim: [], claimsWithoutUser: [] });

describe.each(doors)('$path', (door) => {
  test('of 50 creates of one address at once, one is 201 and 49 are 409', async () => {
    const { email } = person();
    const creates = times(50, (at) => door.create({ name: 'Racer', email: at % 2 ? email : email.toUpperCase() }));
    expect(tally(await Promise.all(creates))).toEqual({ 201: 1, 409: 49 });
    await wantSoundClaims();
  });

  test('of 50 updates with one If-Match at once, one is 200 and 49 are 412', async () => {
    const { id } = await door.newUser();
    const { etag } = (await door.get(id)).headers;
    const updates = times(50, (at) => door.update(id, { name: `Racer ${at}` }, { 'if-match': String(etag) }));
    expect(tally(await Promise.all(updates))).toEqual({ 200: 1, 412: 49 });
  });

  test('of 10 users who take one address at once, one has it', async () => {
    const users = await Promise.all(times(10, () => door.newUser()));
    const { email } = person();
    const writes = users.map(({ id }, at) =>
      at % 2 ? door.update(id, { email }) : door.replace(id, { name: 'Racer', email }),
    );
    expect(tally(await Promise.all(writes))).toEqual({ 200: 1, 409: 9 });
    await wantSoundClaims();
  });

  test('of 10 deletes at once, one is 204 and 9 are 404', async () => {
    const { id } = await door.newUser();
    expect(tally(await Promise.all(times(10, () => door.remove(id))))).toEqual({ 204: 1, 404: 9 });
  });

  test('of an update of the name and one of the email at once, both are kept', async () => {
    const { id } = await door.newUser();
    const { name, email } = person();
    expect(tally(await Promise.all([door.update(id, { name }), door.update(id, { email })]))).toEqual({ 200: 2 });
    expect(await door.read(id)).toEqual({ id, name, email });
  });

  test('changes of one user’s address at once leave no address without its user', async () => {
    const { id } = await door.newUser();
    const updates = times(5, () => door.update(id, { email: person().email }));
    expect(tally(await Promise.all(updates))).toEqual({ 200: 5 });
    await wantSoundClaims();
  });

  test('a delete and a change of the address at once leave neither user nor address', async () => {
    for (let round = 0; round < 5; round++) {
      const user = await door.newUser();
      const { email } = person();
      await Promise.all([door.update(user.id, { email }), door.remove(user.id)]);
      expect((await door.get(user.id)).status).toBe(404);
    }
    await wantSoundClaims();
  });
});
