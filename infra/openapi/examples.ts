import type { operations } from '../../lib/rest/operations.ts';
import { formatEtag } from '../../lib/rest/requests.ts';
import { exampleBody, exampleMe, exampleUser } from './example-user.ts';

/** A request as its function receives it and what the function returns, and the query or body that a client sends for it. */
export type Example<Request, Result> = {
  request: Request;
  result: Result;
  query?: string;
  body?: object;
  /** Describes the response. Default: the description of the operation. */
  description?: string;
};

/** The examples of one operation. The first is the usual one. Others show the responses with another status. */
export type Examples<Request, Result> = readonly [Example<Request, Result>, ...Example<Request, Result>[]];

/** What `render` of an operation takes. */
type ExamplesOf<Rendering> = Rendering extends (
  result: infer Result,
  request: infer Request,
  ...others: never
) => unknown
  ? Examples<Request, Result>
  : never;

type Operations = typeof operations;
type ExamplesByOperation = { [Name in keyof Operations]: ExamplesOf<Operations[Name]['render']> };

const { id, name } = exampleUser;

const examplePerson = {
  subject: 'ada',
  issuer: 'https://id.example.org',
  email: exampleUser.email,
  signedInAt: undefined,
};

/** Documents show these requests and responses. */
export const examples = {
  // A page between two others has every kind of link.
  'list-users': [
    {
      request: { page: 2, limit: 1 },
      result: { users: [exampleUser], next: id, total: 3 },
      query: 'page=2&limit=1',
    },
  ],
  'get-user': [
    { request: { id }, result: exampleUser },
    {
      request: { id, ifNoneMatch: formatEtag(exampleUser) },
      result: exampleUser,
      description: 'The user is still as a tag of If-None-Match says',
    },
  ],
  'create-user': [
    {
      request: { input: exampleBody, idempotencyKey: undefined },
      // It shows all headers that a response can have.
      result: { user: exampleUser, isRepetition: true },
      body: exampleBody,
    },
  ],
  'replace-user': [{ request: { id, ...exampleBody }, result: exampleUser, body: exampleBody }],
  'update-user': [{ request: { id, name }, result: exampleUser, body: { name } }],
  'delete-user': [{ request: { id }, result: { id } }],
  'get-me': [{ request: { person: examplePerson }, result: exampleUser }],
  'create-me': [{ request: { person: examplePerson, input: exampleMe }, result: exampleUser, body: exampleMe }],
  'update-me': [
    { request: { person: examplePerson, input: { name }, conditions: {} }, result: exampleUser, body: { name } },
  ],
  'delete-me': [{ request: { person: examplePerson, conditions: {} }, result: { id } }],
} as const satisfies ExamplesByOperation;
