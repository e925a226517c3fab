import { join } from 'node:path';
import { createGraphqlEvent, createRestEvent } from '../../../test/setup/event.ts';
import { createStreamEvent, USER_ID } from './stub-database.ts';

export type Candidate = {
  name: string;
  api: 'REST' | 'GraphQL' | 'events';
  kind: Kind;
  file: string;
  event: unknown;
};
type Kind = 'service' | 'service, with ten own fields' | 'service, another first request' | 'peer';

const path = '/v1/users';
const person = { name: 'Ada Lovelace', email: 'ada@example.org' };

const getUser = createRestEvent('GET', path, { id: USER_ID });
const query = createGraphqlEvent('POST', { body: { query: `{ user(id: "${USER_ID}") { id name email } }` } });

const mutation = createGraphqlEvent('POST', {
  body: {
    query: 'mutation ($input: CreateUserInput!) { createUser(input: $input) { user { id } } }',
    variables: { input: person },
  },
});
const list = createGraphqlEvent('POST', {
  body: { query: '{ users(first: 20) { edges { node { id name email } } } }' },
});

/** The first request determines which modules a cold start of `graphql` loads. */
export const findFirstRequests = (folder: string): Candidate[] =>
  Object.entries({ 'graphql users': list, 'graphql createUser': mutation }).map(([name, event]) => ({
    name,
    api: 'GraphQL',
    kind: 'service, another first request',
    file: join(folder, 'graphql/graphql.mjs'),
    event,
  }));

const events: Record<string, unknown> = {
  'get-user': getUser,
  'list-users': createRestEvent('GET', path, { query: { page: '1', limit: '20' } }),
  'create-user': createRestEvent('POST', path, { body: person }),
  'replace-user': createRestEvent('PUT', path, { id: USER_ID, body: person }),
  'update-user': createRestEvent('PATCH', path, { id: USER_ID, body: { name: 'Ada King' } }),
  'delete-user': createRestEvent('DELETE', path, { id: USER_ID }),
  graphql: query,
  'on-change': createStreamEvent(),
  'index-pages': {},
};

const findApi = (name: string) =>
  name === 'graphql' ? 'GraphQL' : name.endsWith('-user') || name === 'list-users' ? 'REST' : 'events';

export const findFunctions = (folder: string, kind: Kind = 'service', names = Object.keys(events)): Candidate[] =>
  names.map((name) => ({
    name,
    api: findApi(name),
    kind,
    file: join(folder, name, `${name}.mjs`),
    event: events[name],
  }));

const peers = {
  mjs: ['bare', 'powertools', 'hono', 'middy-zod'],
  cjs: ['floor', 'bare-commonjs', 'express', 'apollo', 'yoga'],
};

/** `folder`: output of peers/build.mjs. */
export const findPeers = (folder: string): Candidate[] =>
  Object.entries(peers).flatMap(([extension, names]) =>
    names.map((name) => {
      const api = name === 'apollo' || name === 'yoga' ? 'GraphQL' : 'REST';
      const event = api === 'GraphQL' ? query : getUser;
      return { name, api, kind: 'peer', file: join(folder, name, `${name}.${extension}`), event };
    }),
  );
