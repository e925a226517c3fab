import type { MyData } from '../../lib/features/me/data.ts';
import { showMe } from '../../lib/features/me/read.ts';
import { formatMeTag } from '../../lib/features/me/rest-own-record.ts';
import type { allOperations } from '../../lib/rest/operations.ts';
import { formatEtag } from '../../lib/rest/requests.ts';
import { createEmailClaim } from '../../lib/users/derived.ts';
import type { Upsert } from '../../lib/users/upsert.ts';
import { exampleBody, exampleMe, exampleUser } from './example-user.ts';

/** `request` and `result`: argument and return value of the operation's function. */
export type Example<Request, Result> = {
  request: Request;
  result: Result;
  query?: string;
  body?: object;
  description?: string;
};

export type Examples<Request, Result> = readonly [Example<Request, Result>, ...Example<Request, Result>[]];

type ExamplesOf<Rendering> = Rendering extends (
  result: infer Result,
  request: infer Request,
  ...others: never
) => unknown
  ? Examples<Request, Result>
  : never;

type Operations = typeof allOperations;
type ExamplesByOperation = { [Name in keyof Operations]: ExamplesOf<Operations[Name]['render']> };

const { id, name } = exampleUser;

const examplePerson = {
  subject: 'ada',
  issuer: 'https://id.example.org',
  email: exampleUser.email,
  signedInAt: undefined,
};

const exampleUpsert: Upsert = {
  key: { field: 'email', claim: createEmailClaim(exampleUser.email) },
  input: exampleBody,
};
const exampleKey = `email=${encodeURIComponent(exampleUser.email)}`;
const { createdAt, updatedAt, version } = exampleUser;
const exampleVersion = { ...showMe(exampleUser), createdAt, updatedAt, version };

const exampleData: MyData = {
  missing: ['Deleted posts, and earlier versions of posts'],
  user: exampleVersion,
  logins: [examplePerson.subject],
  earlierRecords: [],
  posts: [
    {
      id: `${id}.01990f6e-4d1b-7c32-9a5f-6e1f0d8b2c34`,
      title: 'Notes',
      publishedAt: '2026-01-02T00:00:00.000Z',
      version: 1,
    },
  ],
  changes: [{ kind: 'CREATED', at: createdAt, by: 'self', version, before: null, after: exampleVersion }],
};

export const examples = {
  // A counted page in the middle, because its response has all headers and links.
  'list-users': [
    {
      request: { page: 2, limit: 1, isCounted: true },
      result: { users: [exampleUser], next: id, total: 3 },
      query: 'page=2&limit=1',
    },
  ],
  'get-user': [
    { request: { id }, result: exampleUser },
    {
      request: { id, ifNoneMatch: formatEtag(exampleUser) },
      result: exampleUser,
      description: 'The user still has a version in `If-None-Match`',
    },
  ],
  'create-user': [
    {
      request: { input: exampleBody, idempotencyKey: undefined },
      // A repeated request, because its response has all possible headers.
      result: { user: exampleUser, isRepetition: true },
      body: exampleBody,
    },
  ],
  'replace-user': [{ request: { id, ...exampleBody }, result: exampleUser, body: exampleBody }],
  'upsert-user': [
    { request: exampleUpsert, result: { user: exampleUser, outcome: 'updated' }, query: exampleKey, body: exampleBody },
    {
      request: exampleUpsert,
      result: { user: exampleUser, outcome: 'created' },
      description: 'The user, who did not exist before',
    },
  ],
  'update-user': [{ request: { id, name }, result: exampleUser, body: { name } }],
  'delete-user': [{ request: { id }, result: { id } }],
  'get-me': [
    { request: { person: examplePerson, conditions: {} }, result: exampleUser },
    {
      request: { person: examplePerson, conditions: {}, ifNoneMatch: formatMeTag(exampleUser) },
      result: exampleUser,
      description: 'The record still has a version in `If-None-Match`',
    },
  ],
  'create-me': [{ request: { person: examplePerson, input: exampleMe }, result: exampleUser, body: exampleMe }],
  'update-me': [
    { request: { person: examplePerson, input: { name }, conditions: {} }, result: exampleUser, body: { name } },
  ],
  'add-login': [
    {
      request: { person: examplePerson, input: { token: 'eyJhbGciOiJSUzI1NiJ9…' } },
      result: exampleUser,
      body: { token: 'eyJhbGciOiJSUzI1NiJ9…' },
    },
  ],
  'delete-me': [{ request: { person: examplePerson, conditions: {} }, result: { id } }],
  'sign-in': [
    {
      request: { person: examplePerson, input: exampleMe },
      // A conflict, because its response has all headers of an existing record.
      result: { user: exampleUser, outcome: 'found', emailConflict: true },
      body: exampleMe,
    },
    {
      request: { person: examplePerson, input: exampleMe },
      result: { user: exampleUser, outcome: 'created', emailConflict: false },
      description: 'The new record',
    },
  ],
  'get-my-data': [{ request: { person: examplePerson }, result: exampleData }],
} as const satisfies ExamplesByOperation;
