import type { Client } from '../../lib/client/client.ts';
import { describeError } from '../scripts/command.ts';
import { type Finding, fails, fine, note, type Point } from '../scripts/points.ts';

export type Service = {
  client: Client;
  url: string;
  graphqlUrl: string;
  /** The status of requests without credentials. 200: the service is open to everyone. */
  rejection: 200 | 401 | 403;
  hasStreams: boolean;
  fetch: typeof fetch;
  /** Stops the checks, but not the deletion of their user. */
  signal: AbortSignal;
};

const COUNT = '{ users { totalCount } }';

export function createAccessPoints(service: Service): Point[] {
  return [
    { name: 'anonymous', check: () => checkAnonymous(service) },
    { name: 'identity', check: () => failing(() => checkIdentity(service)) },
  ];
}

/** Unlike a right that is missing in AWS, an error of the service is a failure. */
const failing = (check: () => Promise<Finding>): Promise<Finding> =>
  check().catch((error) => fails(describeError(error)));

async function checkAnonymous({ url, graphqlUrl, rejection, fetch }: Service): Promise<Finding> {
  const headers = { 'content-type': 'application/json' };
  const responses = await Promise.all([
    fetch(`${url.replace(/\/+$/, '')}/v1/users?limit=1`),
    fetch(graphqlUrl, { method: 'POST', headers, body: JSON.stringify({ query: COUNT }) }),
  ]);
  const [rest = 0, graphql = 0] = responses.map(({ status }) => status);
  if (rest !== rejection || graphql !== rejection)
    return fails(`REST answers ${rest} and GraphQL ${graphql} without credentials; expected: ${rejection}`);
  return rejection === 200
    ? note('everyone can read and change users, because auth is none')
    : fine(`both APIs reject requests without credentials with ${rejection}`);
}

async function checkIdentity({ client, signal }: Service): Promise<Finding> {
  const { total } = await client.users.page({ limit: 1, signal });
  const { users } = await client.graphql<{ users: { totalCount: number | null } }>(COUNT, {}, { signal });
  return fine(`REST counts ${total} users, and GraphQL ${users.totalCount}`);
}

/** Creates, changes and deletes one user. Deletes it also after a failure, a lost answer or a signal. */
export async function* checkUser(
  service: Service,
  person: { name: string; email: string },
): AsyncGenerator<Finding & { name: string }, void, undefined> {
  const { client, signal, hasStreams } = service;
  try {
    // Without the signal: an aborted request could create the user after its deletion.
    const { id } = await client.users.create(person);
    const found = await client.users.find({ email: person.email });
    yield {
      name: 'creation',
      ...(found?.id === id ? fine(`${person.email} is ${id}`) : fails(`${person.email} was created, but not found`)),
    };
    if (hasStreams) yield { name: 'stream', ...(await failing(() => checkStream(service, id))) };
    signal.throwIfAborted();
    await client.users.delete(id);
    const left = await client.users.get(id);
    yield { name: 'deletion', ...(left ? fails(`${id} was deleted, but is still there`) : fine(`${id} is gone`)) };
  } catch (error) {
    yield { name: 'user', ...fails(describeError(error as Error)) };
  } finally {
    // The answer to the creation may be lost, so the address finds the user.
    const left = await client.users.find({ email: person.email }).catch(() => 'unknown' as const);
    if (left === 'unknown' || (left && !(await remove(client, left.id))))
      yield { name: 'cleanup', ...fails(`delete the user ${person.email} yourself`) };
  }
}

const remove = (client: Client, id: string): Promise<boolean> =>
  client.users.delete(id).then(
    () => true,
    () => false,
  );

const STREAM_MS = 60_000;

async function checkStream({ client, signal }: Service, id: string): Promise<Finding> {
  const name = 'Smoke test, changed';
  let problem = '';
  const stopped = new AbortController();
  let isChanged = false;
  const change = async () => {
    if (isChanged) return;
    isChanged = true;
    await client.users.update(id, { name }).catch((error) => {
      problem = describeError(error);
      stopped.abort();
    });
  };
  const changes = client.changes({
    user: id,
    signal: AbortSignal.any([signal, stopped.signal, AbortSignal.timeout(STREAM_MS)]),
    onConnect: () => void change(),
    onWait: (reason) => {
      problem = describeError(reason);
    },
  });
  for await (const { user } of changes) if (user?.name === name) return fine('a subscription received the change');
  return fails(`no change arrived${problem && `: ${problem}`}`);
}
