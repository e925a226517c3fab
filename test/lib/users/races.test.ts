import { describe, expect, test } from 'vitest';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { environment } from '../../../lib/environment.ts';
import { auditClaims } from '../../setup/claims.ts';
import { tally } from '../../setup/tally.ts';
import { newPerson } from '../../setup/test-data.ts';
import { bare, enveloped } from '../rest/client.ts';

const race = <Result>(count: number, act: (client: typeof bare, index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => act(index % 2 ? bare : enveloped, index)));

const expectConsistentClaims = async () =>
  expect(await auditClaims(table, TableName)).toMatchObject({ usersWithoutClaim: [], claimsWithoutUser: [] });

describe('concurrent requests', () => {
  test('of 8 creates with one address, one returns 201 and 7 return 409', async () => {
    const { email } = newPerson();
    const responses = await race(8, (client, index) =>
      client.create({ name: 'Racer', email: index % 3 ? email : email.toUpperCase() }),
    );
    expect(tally(responses)).toEqual({ 201: 1, 409: 7 });
    await expectConsistentClaims();
  });

  test('of 8 updates with one If-Match, one returns 200 and 7 return 412', async () => {
    const { id } = await bare.newUser();
    const headers = { 'if-match': String((await bare.get(id)).headers.etag) };
    const responses = await race(8, (client, index) => client.update(id, { name: `Racer ${index}` }, headers));
    expect(tally(responses)).toEqual({ 200: 1, 412: 7 });
  });

  test('of 10 users that change to one address, one gets it', async () => {
    const users = await race(10, (client) => client.newUser());
    const { email } = newPerson();
    const responses = await race(10, (client, index) => {
      const id = String(users[index]?.id);
      return index % 3 ? client.update(id, { email }) : client.replace(id, { name: 'Racer', email });
    });
    expect(tally(responses)).toEqual({ 200: 1, 409: 9 });
    await expectConsistentClaims();
  });

  test('of 10 deletes of one user, one returns 204 and 9 return 404', async () => {
    const { id } = await bare.newUser();
    expect(tally(await race(10, (client) => client.remove(id)))).toEqual({ 204: 1, 404: 9 });
  });

  test('an update of the name and an update of the email of one user are both kept', async () => {
    const { id } = await bare.newUser();
    const { name, email } = newPerson();
    const responses = await race(2, (client, index) => client.update(id, index ? { name } : { email }));
    expect(tally(responses)).toEqual({ 200: 2 });
    expect(await bare.read(id)).toEqual({ id, name, email });
  });

  test('updates of the address of one user leave no claim without its user', async () => {
    const { id } = await bare.newUser();
    const responses = await race(5, (client) => client.update(id, { email: newPerson().email }));
    expect(tally(responses)).toEqual({ 200: 5 });
    await expectConsistentClaims();
  });

  test('a delete and an update of the address leave neither user nor claim', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await bare.newUser();
      await race(2, (client, index) => (index ? client.remove(id) : client.update(id, { email: newPerson().email })));
      expect((await bare.get(id)).status).toBe(404);
    }
    await expectConsistentClaims();
  });
});

async function countCommands(run: () => Promise<unknown>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const count = (name: string) => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  table.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) => {
        count(commandName);
        return next(args);
      },
    { step: 'initialize', name: 'count' },
  );
  try {
    await run();
  } finally {
    table.middlewareStack.remove('count');
  }
  return counts;
}

test('each of 10 concurrent updates of one user reads the user once, even when retried', async () => {
  const { id } = await bare.newUser();
  const { GetItemCommand, TransactWriteItemsCommand = 0 } = await countCommands(async () => {
    const responses = await race(10, (client, index) =>
      client.update(id, index % 3 ? { name: `Racer ${index}` } : { email: newPerson().email }),
    );
    expect(tally(responses)).toEqual({ 200: 10 });
  });
  expect(TransactWriteItemsCommand).toBeGreaterThan(6);
  expect(GetItemCommand).toBe(10);
  await expectConsistentClaims();
});

/** Leaves no time for a pause once `run` has sent the first request to DynamoDB. */
async function endTimeAfterRequest<Result>(run: () => Promise<Result>): Promise<Result> {
  const { elapsed, random } = environment;
  Object.assign(environment, { elapsed: () => 0, random: () => 0.9 });
  const jump = () => Object.assign(environment, { elapsed: () => environment.requestTimeLimitMs - 1 });
  table.middlewareStack.add((next) => (args) => next(args).finally(jump), { step: 'initialize', name: 'jump' });
  try {
    return await run();
  } finally {
    table.middlewareStack.remove('jump');
    Object.assign(environment, { elapsed, random });
  }
}

test('a taken address is 409, although the time limit ends with the transaction', async () => {
  const [{ email }, { id }] = [await bare.newUser(), await bare.newUser()];
  const responses = [
    await endTimeAfterRequest(() => bare.create({ name: 'Racer', email })),
    await endTimeAfterRequest(() => bare.update(id, { email })),
  ];
  const taken = { status: 409, json: { error: 'Another user has this email' } };
  expect(responses).toMatchObject([taken, taken]);
});

const createUsers = (number: number) =>
  Promise.all(Array.from({ length: number }, async () => (await bare.newUser()).id));

test('40 concurrent deletes of different users all succeed', async () => {
  const ids = await createUsers(40);
  expect(tally(await Promise.all(ids.map((id) => bare.remove(id))))).toEqual({ 204: 40 });
});

test('8 concurrent renames of one user return 200 or 409, and each 200 raises the version once', async () => {
  const [id = ''] = await createUsers(1);
  const renames = Array.from({ length: 8 }, (_, at) => bare.update(id, { name: `Ada ${at}` }));
  const { 200: succeeded = 0, 409: conflicts = 0 } = tally(await Promise.all(renames));
  expect(succeeded + conflicts).toBe(8);
  expect((await bare.get(id)).headers.etag).toBe(`"${succeeded + 1}"`);
});
