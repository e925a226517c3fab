import { AwsClient } from 'aws4fetch';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createClient, type Signer } from '../../../lib/client/client.ts';
import { type Service, startServiceHere } from '../../setup/service.ts';
import { newPerson } from '../../setup/test-data.ts';

const BASE_URL = 'https://abc123.execute-api.eu-central-1.amazonaws.com/';
const GRAPHQL_URL = 'https://abcdef456.lambda-url.us-west-2.on.aws/';
const CREDENTIALS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'session' };
const SIGNATURE =
  /^AWS4-HMAC-SHA256 Credential=(?<key>\w+)\/\d{8}\/(?<region>[\w-]+)\/(?<service>[\w-]+)\/aws4_request, SignedHeaders=(?<headers>[\w;-]+), Signature=[0-9a-f]{64}$/;

let service: Service;
beforeAll(async () => {
  service = await startServiceHere();
});
afterAll(() => service.stop());

/** Signs for AWS host names, but sends to the local service. The first `busy` requests get 503. */
function connect(auth: Signer, busy = 0) {
  const sent: Request[] = [];
  const { users, posts, changes } = createClient({
    ...{ baseUrl: BASE_URL, graphqlUrl: GRAPHQL_URL, auth },
    fetch: async (input, init) => {
      const request = new Request(input, init);
      sent.push(request);
      if (sent.length <= busy) return new Response('{}', { status: 503, headers: { 'retry-after': '0' } });
      const path = request.url.startsWith(BASE_URL) ? request.url.slice(BASE_URL.length) : 'graphql';
      return fetch(new Request(`${service.url}/${path}`, request.clone()));
    },
    retries: { maxPauseMs: 5 },
  });
  return { users, posts, changes, sent };
}

const readScope = ({ headers }: Request) => {
  const { key, region, service } = SIGNATURE.exec(headers.get('authorization') ?? '')?.groups ?? {};
  return { key, region, service };
};
const rest = { key: 'AKIDEXAMPLE', region: 'eu-central-1', service: 'execute-api' };
const graphql = { key: 'AKIDEXAMPLE', region: 'us-west-2', service: 'lambda' };

test('an AwsClient signs REST for API Gateway, and GraphQL and streams for the Function URL', async () => {
  const { users, posts, changes, sent } = connect(new AwsClient(CREDENTIALS));
  const user = await users.create(newPerson());
  await users.update(user, { name: 'Renamed' });
  expect(sent.map(readScope)).toEqual([rest, rest]);
  const minuteAgo = new Date(Date.now() - 60_000).toISOString();
  await posts.create({ authorId: user.id, title: 'Signed' });
  for await (const { user: changed } of changes({ user: user.id, after: minuteAgo })) {
    expect(changed?.id).toBe(user.id);
    break;
  }
  expect(sent.slice(2).map(readScope)).toEqual([graphql, graphql]);
});

test('all relevant headers and the session token are signed', async () => {
  const { users, sent } = connect(new AwsClient(CREDENTIALS));
  await users.create(newPerson());
  const [{ headers } = new Request(BASE_URL)] = sent;
  const signed = SIGNATURE.exec(headers.get('authorization') ?? '')?.groups?.headers?.split(';');
  expect(signed).toEqual(expect.arrayContaining(['host', 'idempotency-key', 'x-amz-date', 'x-amz-security-token']));
  expect(headers.get('x-amz-security-token')).toBe('session');
  expect(headers.get('x-amz-date')).toMatch(/^\d{8}T\d{6}Z$/);
});

test('each attempt has a fresh signature', async () => {
  let requests = 0;
  const renewing: Signer = {
    sign: (url, init) => new AwsClient({ ...CREDENTIALS, accessKeyId: `AKID${++requests}` }).sign(url, init),
  };
  const { users, sent } = connect(renewing, 2);
  await users.create(newPerson());
  expect(sent.map(readScope)).toEqual(['AKID1', 'AKID2', 'AKID3'].map((key) => ({ ...rest, key })));
});

test('spaces are sent as they are signed', async () => {
  const { users, sent } = connect(new AwsClient(CREDENTIALS));
  const email = 'mary.ann+signed@example.org';
  await users.create({ name: 'Mary Ann Evans', email });
  await users.create({ name: 'Mary Ann Nichols', email: 'nichols@example.org' });
  const countMatches = async () => {
    let count = 0;
    for await (const _ of users.search('mary ann', { pageSize: 1 })) count += 1;
    return count;
  };
  await vi.waitUntil(async () => (await countMatches()) === 2, { timeout: 60_000 });
  expect((await users.find({ email }))?.email).toBe(email);
  // A space is %20, as in the signature: API Gateway may read a + literally.
  const queries = sent.map(({ url }) => new URL(url).search).filter(Boolean);
  expect(queries).toEqual(
    expect.arrayContaining([expect.stringMatching(/q=mary%20ann/), expect.stringMatching(/%2B/)]),
  );
  expect(queries.filter((query) => query.includes('+'))).toEqual([]);
});
