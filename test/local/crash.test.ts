import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, test } from 'vitest';
import * as z from 'zod';
import { startDatabase } from '../../infra/local/database.ts';
import { auditClaims } from '../setup/claims.ts';
import { startLocalService } from '../setup/local-service.ts';

const data = mkdtempSync(join(tmpdir(), 'user-management-'));
afterAll(() => rmSync(data, { recursive: true, force: true }));

const CUT_OFF = 'cut off';
const ROUNDS = 3;
const CLIENTS = 8;
/** The service is killed when it has answered so many in a round, with more under way. */
const ANSWERED = 40;

const user = z.object({ id: z.string() });

/** Creates users without a pause until the service is gone; the ids of those it was answered. */
async function createUntilKilled(round: number): Promise<string[]> {
  const service = await startLocalService(['--data', data]);
  const ids: string[] = [];
  const client = async (_: unknown, number: number) => {
    for (let count = 0; ; count++) {
      const body = JSON.stringify({ name: 'Created', email: `user${round}.${number}.${count}@example.org` });
      const headers = { 'content-type': 'application/json' };
      const reply = await fetch(`${service.url}/v1/users`, { method: 'POST', body, headers }).catch(() => undefined);
      if (reply?.status !== 201) return;
      // Of an answer whose end was cut off, the status alone says that the user was made.
      ids.push(
        await reply.json().then(
          (body) => user.parse(body).id,
          () => CUT_OFF,
        ),
      );
      if (ids.length === ANSWERED) service.process.kill('SIGKILL');
    }
  };
  const killed = once(service.process, 'exit');
  await Promise.all(Array.from({ length: CLIENTS }, client));
  expect((await killed)[1]).toBe('SIGKILL');
  return ids.filter((id) => id !== CUT_OFF);
}

test('killed while it creates users, the service leaves no user without claim and no claim without user', async () => {
  const answered: string[] = [];
  for (let round = 0; round < ROUNDS; round++) answered.push(...(await createUntilKilled(round)));
  expect(answered.length).toBeGreaterThanOrEqual(ROUNDS * (ANSWERED - 1));

  const service = await startLocalService(['--data', data]);
  const shown = await Promise.all(answered.map(async (id) => (await fetch(`${service.url}/v1/users/${id}`)).status));
  await service.stop();
  expect(new Set(shown)).toEqual(new Set([200]));

  const database = await startDatabase(data);
  const client = new DynamoDBClient({ endpoint: database.endpoint });
  const audit = await auditClaims(DynamoDBDocumentClient.from(client), 'users');
  client.destroy();
  await database.stop();
  expect(audit).toMatchObject({ usersWithoutClaim: [], claimsWithoutUser: [] });
  expect(audit.users).toBeGreaterThanOrEqual(answered.length);
}, 60_000);
