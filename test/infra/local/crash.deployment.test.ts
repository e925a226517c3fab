import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, test } from 'vitest';
import * as z from 'zod';
import { startDatabase } from '../../../infra/local/database/start.ts';
import { auditClaims } from '../../setup/claims.ts';
import { startLocalService } from '../../setup/local-service.ts';

const data = mkdtempSync(join(tmpdir(), 'user-management-'));
afterAll(() => rmSync(data, { recursive: true, force: true }));

const ROUNDS = 3;
const CLIENTS = 8;
/** Responses before the kill. Further requests are in progress then. */
const RESPONSES_PER_ROUND = 40;

const user = z.object({ id: z.string() });

/** Starts only the database, because a service could repair the data before the check. */
async function audit() {
  const database = await startDatabase(data);
  const client = new DynamoDBClient({ endpoint: database.endpoint });
  const found = await auditClaims(DynamoDBDocumentClient.from(client), 'users');
  client.destroy();
  await database.stop();
  return found;
}

/** Returns ids of users with a complete response. */
async function createUntilKilled(round: number): Promise<string[]> {
  const service = await startLocalService(['--data', data]);
  const ids: string[] = [];
  let responses = 0;
  const runClient = async (_: unknown, number: number) => {
    for (let count = 0; ; count++) {
      const body = JSON.stringify({ name: 'Created', email: `user${round}.${number}.${count}@example.org` });
      const headers = { 'content-type': 'application/json' };
      const reply = await fetch(`${service.url}/v1/users`, { method: 'POST', body, headers }).catch(() => undefined);
      if (reply?.status !== 201) return;
      // The kill may truncate the response.
      const created = await reply.json().catch(() => undefined);
      if (created) ids.push(user.parse(created).id);
      responses++;
      if (responses === RESPONSES_PER_ROUND) service.process.kill('SIGKILL');
    }
  };
  const exited = once(service.process, 'exit');
  await Promise.all(Array.from({ length: CLIENTS }, runClient));
  expect((await exited)[1]).toBe('SIGKILL');
  return ids;
}

test('killing the service while it creates users leaves every user with a claim and every claim with a user', async () => {
  const acknowledged: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    acknowledged.push(...(await createUntilKilled(round)));
    const { users, ...missing } = await audit();
    expect(missing).toEqual({ usersWithoutClaim: [], claimsWithoutUser: [] });
    expect(users).toBeGreaterThanOrEqual(acknowledged.length);
  }
  expect(acknowledged.length).toBeGreaterThanOrEqual(ROUNDS * (RESPONSES_PER_ROUND - CLIENTS));

  const service = await startLocalService(['--data', data]);
  const statuses = await Promise.all(
    acknowledged.map(async (id) => (await fetch(`${service.url}/v1/users/${id}`)).status),
  );
  await service.stop();
  expect(new Set(statuses)).toEqual(new Set([200]));
});
