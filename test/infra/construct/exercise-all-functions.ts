import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Context, DynamoDBStreamEvent } from 'aws-lambda';
import { createGateway, type Handlers } from '../../../infra/local/gateway.ts';
import { createContext } from '../../../infra/local/runtime.ts';
import { exampleUser } from '../../../infra/openapi/example-user.ts';
import { type Examples, examples } from '../../../infra/openapi/examples.ts';
import { putItems } from '../../../lib/dynamodb/batch.ts';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { emailKey, newPostKey, userKey } from '../../../lib/dynamodb/keys.ts';
import { type OperationName, operationNames, operations } from '../../../lib/rest/operations.ts';
import { startEventBus } from '../../lib/features/events/event-bus.ts';
import { newRecord } from '../../lib/features/events/records.ts';
import { exercisePageIndex } from './exercise-page-index.ts';

export type Functions = Handlers & {
  'on-change': (event: DynamoDBStreamEvent) => Promise<unknown>;
  'publish-events': (event: DynamoDBStreamEvent) => Promise<unknown>;
  'index-pages': (event: { repair?: boolean }, context: Context) => Promise<unknown>;
};

/** Makes every function send each kind of its reads and writes. Returns the result of each step. */
export async function exerciseAllFunctions(functions: Functions): Promise<Record<string, unknown>> {
  const gateway = createGateway(functions).listen(0, '127.0.0.1');
  await once(gateway, 'listening');
  const { port } = gateway.address() as AddressInfo;
  const base = `http://127.0.0.1:${port}`;
  try {
    // on-change corrects users only after a backfill has begun.
    await functions['index-pages']({}, createContext());
    return {
      ...(await exerciseRest(base)),
      ...(await exerciseGraphql(`${base}/graphql`, functions['on-change'])),
      'publish-events': await exerciseEvents(functions['publish-events']),
      ...(await exercisePageIndex(
        () => createUser(base),
        (event = {}) => functions['index-pages'](event, createContext()),
      )),
    };
  } finally {
    gateway.closeAllConnections();
    gateway.close();
  }
}

const createAddress = () => `${randomUUID()}@example.com`;

const post = (url: string, body: object, headers: Record<string, string> = {}, method = 'POST') =>
  fetch(url, { method, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) });

async function createUser(base: string): Promise<string> {
  const response = await post(`${base}/v1/users`, { name: 'Ada', email: createAddress() });
  return `${base}${response.headers.get('location')}`;
}

/** The address has a stale claim, which its next user replaces. */
async function createAddressOfGoneUser(): Promise<string> {
  const email = createAddress();
  await putItems([{ ...emailKey(email), userId: randomUUID(), version: 1 }]);
  return email;
}

async function exerciseRest(base: string) {
  const all = `${base}/v1/users`;
  const email = await createAddressOfGoneUser();
  const created = await post(all, { name: 'Ada', email }, { 'idempotency-key': randomUUID() });
  const user = `${base}${created.headers.get('location')}`;
  const results = {
    'create-user again': created.status,
    'list-users by page': (await fetch(`${all}?page=2&limit=1`)).status,
    'list-users by search': (await fetch(`${all}?q=ada`)).status,
    'list-users by email': (await fetch(`${all}?email=${email}`)).status,
    'replace-user with its email': (await post(user, { name: 'Ada', email }, {}, 'PUT')).status,
    'update-user of an email': (await post(user, { email: await createAddressOfGoneUser() }, {}, 'PATCH')).status,
    ...Object.fromEntries(await Promise.all(operationNames.map(async (name) => [name, await exercise(base, name)]))),
  };
  await fetch(user, { method: 'DELETE' });
  return results;
}

/** Sends the operation's first example request. Deletes all created users. */
async function exercise(base: string, name: OperationName): Promise<number> {
  const { method, path } = operations[name];
  const [{ query = '', body }]: Examples<unknown, unknown> = examples[name];
  const user = await createUser(base);
  const url = `${base}/v1/users${path.replace('{id}', user.slice(user.lastIndexOf('/') + 1))}?${query}`;
  const response = body
    ? await post(url, 'email' in body ? { ...body, email: await createAddressOfGoneUser() } : body, {}, method)
    : await fetch(url, { method });
  const location = response.headers.get('location');
  for (const left of [user, ...(location ? [`${base}${location}`] : [])]) await fetch(left, { method: 'DELETE' });
  return response.status;
}

type Made = { createUser: { user: { id: string } }; createPost: { post: { id: string } } };

async function exerciseGraphql(url: string, onChange: Functions['on-change']) {
  const steps: Record<string, unknown> = {};
  const run = async (step: string, query: string) => {
    const response = await post(url, { query });
    // Cast: later steps only read ids, from responses that contain them.
    const { data, errors } = (await response.json()) as { data: Made; errors?: { message: string }[] };
    steps[step] = errors?.[0]?.message ?? 'ok';
    return data;
  };
  const create = (step: string) =>
    run(step, `mutation { createUser(input: { name: "Ada", email: "${createAddress()}" }) { user { id } } }`);
  const ada = (await create('createUser')).createUser.user.id;
  const bob = (await create('createUser again')).createUser.user.id;
  const { createPost } = await run(
    'createPost',
    `mutation { createPost(input: { authorId: "${ada}", title: "One", idempotencyKey: "${randomUUID()}" }) { post { id } } }`,
  );
  const { id } = createPost.post;
  await run('users', `{ users { totalCount edges { node { posts { author { name } } } } } }`);
  await run('user, many at once', `{ a: user(id: "${ada}") { name } b: user(id: "${bob}") { name } }`);
  await run('post', `{ post(id: "${id}") { title } }`);
  await run('updatePost', `mutation { updatePost(input: { id: "${id}", title: "Two" }) { post { title } } }`);
  await run('publishPost', `mutation { publishPost(input: { id: "${id}" }) { post { publishedAt } } }`);
  await run('deletePost', `mutation { deletePost(input: { id: "${id}" }) { id } }`);
  await run(
    'updateUser',
    `mutation { updateUser(input: { id: "${bob}", email: "${createAddress()}" }) { user { id } } }`,
  );
  steps.userChanged = await openAndLeave(url, `subscription { userChanged(id: "${bob}") { id } }`);
  await run(
    'createPost to purge',
    `mutation { createPost(input: { authorId: "${bob}", title: "x" }) { post { id } } }`,
  );
  await run('deleteUser', `mutation { deleteUser(input: { id: "${bob}", erase: true }) { id } }`);
  await run('erasure', `{ erasure(id: "${bob}") { completedAt } }`);
  steps['on-change'] = await onChange(createRemoval(bob));
  steps['on-change, correcting'] = await onChange(await replaceByHand(ada));
  // The job that completes the erasure must delete this post.
  await putItems([newPostKey(bob, randomUUID())]);
  return steps;
}

/** Returns the response's status. */
async function openAndLeave(url: string, query: string) {
  const client = new AbortController();
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
  const { status } = await fetch(url, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query }),
    signal: client.signal,
  });
  client.abort();
  return status;
}

async function exerciseEvents(publishEvents: Functions['publish-events']): Promise<unknown> {
  const bus = await startEventBus();
  try {
    const result = await publishEvents({ Records: [newRecord(randomUUID(), 1)] });
    return bus.accepted.length === 1 ? result : 'not put';
  } finally {
    bus.stop();
  }
}

type Image = NonNullable<NonNullable<DynamoDBStreamEvent['Records'][number]['dynamodb']>['OldImage']>;

const toImage = (item: object) => marshall(item, { removeUndefinedValues: true }) as Image;

const createRecord = (id: string, images: { OldImage: Image; NewImage?: Image }): DynamoDBStreamEvent => ({
  Records: [
    {
      eventName: images.NewImage ? 'MODIFY' : 'REMOVE',
      dynamodb: {
        Keys: toImage(userKey(id)) as Record<string, { S: string }>,
        ...images,
        SequenceNumber: '100000000000000000001',
        ApproximateCreationDateTime: Date.now() / 1000,
      },
    },
  ],
});

const createRemoval = (id: string): DynamoDBStreamEvent =>
  createRecord(id, { OldImage: toImage({ ...exampleUser, own: undefined, version: 2 }) });

/** Replaces the item as by hand, with another address and no `derived`. */
async function replaceByHand(id: string): Promise<DynamoDBStreamEvent> {
  const { Item = {} } = await table.send(new GetCommand({ TableName, Key: userKey(id) }));
  const { derived: _, ...replaced } = Item;
  await putItems([replaced]);
  const former = emailKey(createAddress());
  await putItems([{ ...former, userId: id, version: 1 }]);
  return createRecord(id, { OldImage: toImage({ ...Item, derived: [former.pk] }), NewImage: toImage(replaced) });
}
