import { paginateScan, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { vi } from 'vitest';
import { readFields } from '../../../../infra/own-fields/declarations.ts';
import { addMemberships } from '../../../../infra/own-fields/memberships.ts';
import type { FieldDeclarations } from '../../../../infra/own-fields/rules.ts';
import type { GroupSettings } from '../../../../infra/settings/settings.ts';
import type { Item } from '../../../../lib/dynamodb/keys.ts';
import type { Backfill } from '../../../../lib/features/backfill/record.ts';
import { newPerson } from '../../../setup/test-data.ts';

const MINUTE_MS = 60_000;

let sequence = 1;

export type Deployed = Awaited<ReturnType<typeof deploy>>;

/**
 * Loads the service with other declarations. Earlier services stay usable on the same table, like old code during a
 * deploy. Writes also run `on-change`.
 */
export async function deploy(fields: FieldDeclarations, groups: Partial<GroupSettings> = {}) {
  const roles = { groupRoles: ['member', 'admin'], groupAdminRoles: ['admin'] };
  const settings = { groups: false, maxGroups: 10, ...roles, ...groups };
  vi.resetModules();
  const { environment } = await import('../../../../lib/environment.ts');
  environment.readOwnFields = () => addMemberships(readFields(fields), settings);
  environment.pause = async () => {};
  const { bare } = await import('../../rest/client.ts');
  const { handler: onChange } = await import('../../../../functions/on-change.ts');
  const { backfill, backfillJob } = await import('../../../../lib/features/backfill/backfill.ts');
  const { isListComplete } = await import('../../../../lib/features/backfill/complete-lists.ts');
  const { jobs } = await import('../../../../lib/maintenance/jobs.ts');
  const { runJobs } = await import('../../../../lib/maintenance/run.ts');
  const { sizes } = await import('../../../../lib/sizes.ts');
  const { deleteItems, getItems, putItems } = await import('../../../../lib/dynamodb/batch.ts');
  const { userKey } = await import('../../../../lib/dynamodb/keys.ts');
  const { checkTable } = await import('../../../../infra/scripts/table-consistency.ts');
  const { listClaims } = await import('../../../../lib/users/derived.ts');
  const { purgeField } = await import('../../../../infra/scripts/field-values.ts');
  const { eraseUser } = await import('../../../../lib/features/erasure/request.ts');
  const { findErasure } = await import('../../../../lib/features/erasure/record.ts');
  const { TableName, table } = await import('../../../../lib/dynamodb/client.ts');
  const { getUser } = await import('../../../../lib/users/read.ts');
  const fixtures = await import('../../features/page-index/fixtures.ts');

  const readItem = async (id: string) => (await getItems([userKey(id)], { ConsistentRead: true }))[0];

  async function consume(id: string, before: Item | undefined): Promise<void> {
    const after = await readItem(id);
    const record = {
      eventName: before ? (after ? 'MODIFY' : 'REMOVE') : 'INSERT',
      dynamodb: {
        Keys: marshall(userKey(id)),
        ...(before ? { OldImage: marshall(before) } : {}),
        ...(after ? { NewImage: marshall(after) } : {}),
        SequenceNumber: String(sequence++),
        ApproximateCreationDateTime: Math.floor(Date.now() / 1000),
      },
    } as DynamoDBRecord;
    const { batchItemFailures } = await onChange({ Records: [record] });
    if (batchItemFailures.length > 0) throw new Error('on-change failed');
  }

  const change = async (name: 'replace' | 'update', id: string, body: object) => {
    const before = await readItem(id);
    const response = await bare[name](id, body);
    await consume(id, before);
    return response;
  };

  const list = async (query: Record<string, string>) => (await bare.list(query)).json as { id: string }[];

  return {
    sizes,
    backfill,
    isListComplete,
    async readList(pk: string): Promise<string[]> {
      const query = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': pk } };
      const { Items = [] } = await table.send(new QueryCommand({ TableName, ConsistentRead: true, ...query }));
      return Items.map(({ sk }) => sk.slice(-36));
    },
    readItem,
    /** Writes a user without running `on-change`. Returns the id. */
    async writeOnly(name: 'create' | 'update', id: string, body: object): Promise<string> {
      const response = name === 'create' ? await bare.create({ ...newPerson(), ...body }) : await bare.update(id, body);
      return (response.json as { id: string }).id;
    },
    removeByHand: (id: string) => deleteItems([userKey(id)]),
    putByHand: (item: Item) => putItems([item]),
    removeClaims: async (id: string) => deleteItems(listClaims(await getUser({ id })).map(({ key }) => key)),
    checkTable: (repair?: 'counts') => checkTable({ repair }),
    purgeField,
    /** Runs `on-change`. Call this after writes by functions that do not run it. */
    consume,
    clearTable: fixtures.clearTable,
    readTable: fixtures.readTable,
    fillTable: fixtures.fillTable,
    crash: fixtures.crash,
    interrupt: fixtures.interrupt,
    async create(body: object = {}) {
      const response = await bare.create({ ...newPerson(), ...body });
      const { id } = response.json as { id?: string };
      if (id) await consume(id, undefined);
      return response;
    },
    /** Creates a user. Returns the id. */
    async add(body: object = {}): Promise<string> {
      const { id } = (await this.create(body)).json as { id: string };
      return id;
    },
    read: (id: string, headers: Record<string, string | undefined> = {}) => bare.get(id, headers),
    post: (body: object, headers: Record<string, string>) => bare.create(body, headers),
    patch: (id: string, body: object, headers: Record<string, string | undefined>) => bare.update(id, body, headers),
    replace: (id: string, body: object) => change('replace', id, body),
    update: (id: string, body: object) => change('update', id, body),
    async remove(id: string) {
      const before = await readItem(id);
      await bare.remove(id);
      await consume(id, before);
    },
    async erase(id: string) {
      const before = await readItem(id);
      await eraseUser({ id }, 'system');
      await consume(id, before);
    },
    findErasure,
    /** Deletes a user without running `on-change`, as in deployments without a change log. */
    async removeUnseen(id: string) {
      await bare.remove(id);
    },
    /** Returns keys of items with any of `texts`, ignoring case. */
    async findItems(...texts: string[]): Promise<string[]> {
      const found: string[] = [];
      for await (const { Items = [] } of paginateScan({ client: table }, { TableName, ConsistentRead: true }))
        for (const item of Items) {
          const text = JSON.stringify(item).toLowerCase();
          if (texts.some((each) => text.includes(each))) found.push(`${item.pk} ${item.sk}`);
        }
      return found;
    },
    environment,
    get: async (id: string) => (await bare.get(id)).json as Record<string, unknown>,
    list: (query: Record<string, string>) => bare.list(query),
    find: async (query: Record<string, string>) => (await list(query)).map(({ id }) => id),
    /** Runs all jobs, with a clock that is `minutes` ahead. */
    async run(minutes = 0) {
      const { now } = environment;
      environment.now = () => now() + minutes * MINUTE_MS;
      const found = await runJobs(jobs, () => true).finally(() => Object.assign(environment, { now }));
      const backfill = found.backfill as Backfill;
      return {
        erased: Object(found.erasures).erased as string[] | undefined,
        backfill: Object.keys(backfill).length > 0 ? backfill : undefined,
      };
    },
    /** Runs the backfill, which runs out of time after `parts`. */
    async backfillParts(parts: number) {
      let left = parts;
      return (await runJobs([backfillJob], () => left-- > 0)).backfill as Backfill | undefined;
    },
  };
}
