import { marshall } from '@aws-sdk/util-dynamodb';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { groupEventSchemas, toJsonSchema } from '../../../../infra/events/schemas.ts';
import { deleteItems } from '../../../../lib/dynamodb/batch.ts';
import type { Item } from '../../../../lib/dynamodb/keys.ts';
import { environment } from '../../../../lib/environment.ts';
import type { CloudEvent } from '../../../../lib/features/events/cloud-event.ts';
import { tryToPublishBatch } from '../../../../lib/features/events/publish.ts';
import { groupDeletionsJob } from '../../../../lib/features/groups/job.ts';
import { groupKey } from '../../../../lib/features/groups/keys.ts';
import { runJobs } from '../../../../lib/maintenance/run.ts';
import { findItem } from '../../on-change/log-write.ts';
import { createGroup, mutate } from './client.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/member-fields.json';
});

let events: CloudEvent[] = [];
const publisher = {
  send: async (sent: CloudEvent[]) => {
    events.push(...sent);
    return sent.map(() => undefined);
  },
  accepted: new Set<string>(),
};
let sequence = 100;
const { now } = environment;
beforeEach(() => {
  events = [];
});
afterEach(() => {
  environment.now = now;
});

function newRecord(id: string, before: Item | undefined, after: Item | undefined): DynamoDBRecord {
  return {
    eventName: before ? (after ? 'MODIFY' : 'REMOVE') : 'INSERT',
    dynamodb: {
      Keys: marshall(groupKey(id)) as never,
      ...(before ? { OldImage: marshall(before) as never } : {}),
      ...(after ? { NewImage: marshall(after) as never } : {}),
      SequenceNumber: String(++sequence),
      ApproximateCreationDateTime: Math.floor(environment.now() / 1000),
    },
  };
}

/** Publishes the record of a write. */
async function publish(id: string, write: () => Promise<unknown>): Promise<DynamoDBRecord> {
  const before = await findItem(groupKey(id));
  await write();
  const record = newRecord(id, before, await findItem(groupKey(id)));
  expect(await tryToPublishBatch({ Records: [record] }, publisher)).toEqual({ batchItemFailures: [] });
  return record;
}

test('each change of a group is an event, and the removal of its item after a deletion is none', async () => {
  const { version: _, ...group } = await createGroup({ name: 'Acme', externalId: 'org_events' });
  const { id } = group;
  const created = newRecord(id, undefined, await findItem(groupKey(id)));
  await tryToPublishBatch({ Records: [created, created] }, publisher);
  await publish(id, () => mutate('updateGroup', { id, name: 'Globex' }));
  await publish(id, () => mutate('deleteGroup', { id }));
  environment.now = () => now() + 120_000;
  const removed = await publish(id, () => runJobs([groupDeletionsJob], () => true));
  expect(removed.eventName).toBe('REMOVE');

  expect(events.map(({ type, data }) => [type, data.kind, data.version])).toEqual([
    ['group.created', 'CREATED', 1],
    ['group.created', 'CREATED', 1],
    ['group.updated', 'UPDATED', 2],
    ['group.deleted', 'DELETED', 3],
  ]);
  const [first, repeated, updated, deleted] = events;
  expect(repeated).toEqual(first);
  expect(first).toMatchObject({
    id: expect.stringMatching(new RegExp(`^GROUP#${id}/\\d{40}$`)),
    subject: id,
    time: group.createdAt,
    data: { id, by: expect.any(String), before: null, after: { ...group, version: 1 } },
  });
  expect(updated?.data).toMatchObject({ before: first?.data.after, after: { name: 'Globex', version: 2 } });
  expect(deleted?.data).toMatchObject({ before: updated?.data.after, after: null, by: first?.data.by });
  const ajv = addFormats.default(new Ajv2020({ allErrors: true, allowUnionTypes: true }));
  for (const event of events) {
    const schema = groupEventSchemas[event.type as keyof typeof groupEventSchemas];
    expect(ajv.validate(toJsonSchema(event.type, schema), event), ajv.errorsText()).toBe(true);
  }
});

test('a group that was removed by hand is deleted, by nobody', async () => {
  const { id } = await createGroup();
  await publish(id, () => deleteItems([groupKey(id)]));
  expect(events).toMatchObject([{ type: 'group.deleted', data: { version: 2, by: null, before: { name: 'Acme' } } }]);
});

test('a write that readers do not see, and another item, give no event', async () => {
  const { id } = await createGroup();
  const item = await findItem(groupKey(id));
  const unseen = newRecord(id, item, { ...item, derived: [] });
  const entry: DynamoDBRecord = {
    ...unseen,
    dynamodb: { ...unseen.dynamodb, Keys: marshall({ pk: 'GROUPS', sk: id }) as never },
  };
  expect(await tryToPublishBatch({ Records: [unseen, entry] }, publisher)).toEqual({ batchItemFailures: [] });
  expect(events).toEqual([]);
});
