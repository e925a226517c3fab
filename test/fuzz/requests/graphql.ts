import fc from 'fast-check';
import type { FuzzRequest } from '../request.ts';
import { createChoices, createDocument, createSubscription, type Document } from './documents.ts';
import { headers } from './headers.ts';
import { OWN_NAMES, ownValues } from './own-values.ts';
import { splice } from './rest.ts';
import { crowded, cursor, email, json, newEmail, postId, text, userId, wrongType } from './values.ts';

/** Disables the bias of fast-check towards small numbers and short lists, which would give small documents. */
const numbers = fc.noBias(fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 80, size: 'max' }));
const texts = fc
  .tuple(userId, postId, email, fc.oneof(cursor, text), fc.constantFrom('USER_0_', 'Ada', '2026-01-01T00:00:00Z'))
  .map(([user, post, address, any, plain]) => [plain, user, post, address, any]);

const document = fc.tuple(numbers, texts).map(([numbers, texts]) => createDocument(createChoices(numbers), texts));
const subscription = fc
  .tuple(numbers, texts)
  .map(([numbers, texts]) => createSubscription(createChoices(numbers), texts));

const repeat = (count: number, part: (index: number) => string) => Array.from({ length: count }, (_, at) => part(at));

/** Documents that once were expensive or broke a validation rule of graphql-js. */
const aimed: Document[] = [
  ...[
    `{ user(id: "AUTHOR_0_") { ${'posts { author { '.repeat(4)} id ${'} }'.repeat(4)} } }`,
    '{ user(id: "AUTHOR_0_") { posts { author { posts { author { posts { id } } } } } } }',
    '{ users(first: 100) { edges { node { posts { title author { posts { title } } } } } } }',
    `{ user(id: "AUTHOR_0_") { ${repeat(15, (at) => `p${at}: posts { id title author { name email } }`).join(' ')} } }`,
    // The next documents reach the limits of items, response size and reads.
    `{ user(id: "AUTHOR_0_") { ${repeat(15, (at) => `p${at}: posts { id title publishedAt }`).join(' ')} } }`,
    `{ user(id: "AUTHOR_0_") { ${repeat(10, (at) => `p${at}: posts { ${'t'.repeat(400)}: title author { id } }`).join(' ')} } }`,
    `{ user(id: "AUTHOR_0_") { ${repeat(12, (at) => `p${at}: posts(after: "${at}") { id }`).join(' ')} } }`,
    '{ users(first: 100) { totalCount edges { node { name email posts(first: 20) { id } } } } }',
    `{ ${repeat(15, (at) => `u${at}: users(first: 100) { edges { node { ${OWN_NAMES} } } }`).join(' ')} }`,
    `{ ${repeat(15, (at) => `u${at}: users(search: "ad") { edges { cursor } }`).join(' ')} }`,
    `{ ${repeat(15, (at) => `u${at}: users(first: 100, search: "ada") { edges { cursor } }`).join(' ')} }`,
    `{ ${repeat(15, (at) => `${'a'.repeat(1_000)}${at}: __typename`).join(' ')} }`,
    `{ ...F0 } ${repeat(30, (at) => `fragment F${at} on Query { ...F${at + 1} ...F${at + 1} }`).join(' ')} fragment F30 on Query { __typename }`,
    'query A { __typename } subscription B { userChanged @include(if: true) { id } }',
    `{ ${'users { edges { node { posts { author { '.repeat(20)} id`,
    `{ __schema { types { ${'fields { type { '.repeat(4)} name ${'} }'.repeat(4)} } } }`,
    `query (${repeat(200, (at) => `$v${at}: Int`).join(' ')}) { __typename }`,
    `# ${'x'.repeat(30_000)}\n{ __typename }`,
    `{ user(id: "${'x'.repeat(18_000)}") { id } }`,
    '{ user(id: {a: {a: {a: {a: 1}}}}) { id } }',
    'query Q { __typename } query Q { __typename }',
    'fragment A on User { ...B } fragment B on User { ...A } { user(id: "1") { ...A } }',
  ].map((query) => ({ query, variables: {} })),
  { query: 'query ($id: ID!) { user(id: $id) { id } }', variables: { id: 'x'.repeat(90_000) } },
  { query: 'query ($id: ID!) { user(id: $id) { id } }', variables: { id: { '@': 'ada@example.com' } } },
];

const SEARCHES = repeat(15, (at) => `s${at}: users(search: $text) { totalCount }`).join(' ');

const variableAttack: fc.Arbitrary<Document> = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(
        'CreateUser',
        'ReplaceUser',
        'UpdateUser',
        'DeleteUser',
        'CreatePost',
        'UpdatePost',
        'PublishPost',
      ),
      fc.oneof(
        crowded(),
        crowded({ id: 'USER_0_', authorId: 'USER_0_', name: 'Ada', email: 'ada@example.org', title: 'On Engines' }),
        fc.dictionary(fc.constantFrom('id', 'name', 'email', 'ifVersion', 'title', 'publishedAt'), wrongType),
        wrongType,
      ),
    )
    .map(([name, input]) => ({
      query: `mutation ($input: ${name}Input!) { ${name.replace(/^./, (first) => first.toLowerCase())}(input: $input) { __typename } }`,
      variables: { input },
    })),
  fc
    .tuple(fc.constantFrom('{ users(search: $text) { totalCount } }', `{ ${SEARCHES} }`), fc.oneof(text, wrongType))
    .map(([selection, text]) => ({ query: `query ($text: String) ${selection}`, variables: { text } })),
  fc
    .oneof(text, wrongType)
    .map((id) => ({ query: 'subscription ($id: ID) { userChanged(id: $id) { id } }', variables: { id } })),
  fc
    .tuple(fc.constantFrom('CreateUser', 'ReplaceUser', 'UpdateUser'), newEmail, ownValues)
    .map(([name, email, fields]) => ({
      query: `mutation ($input: ${name}Input!) { ${name.replace(/^./, (first) => first.toLowerCase())}(input: $input) { user { ${OWN_NAMES} } } }`,
      variables: { input: { ...(name === 'CreateUser' ? {} : { id: 'USER_0_' }), name: 'Ada', email, ...fields } },
    })),
  text.map((text) => ({
    query: `query ($text: String!) { ${repeat(15, (at) => `u${at}: userByNickname(nickname: $text) { id }`).join(' ')} }`,
    variables: { text },
  })),
);

const parameters = fc
  .tuple(
    fc.oneof(
      { weight: 8, arbitrary: document },
      { weight: 2, arbitrary: subscription },
      { weight: 2, arbitrary: fc.constantFrom(...aimed) },
      { weight: 1, arbitrary: variableAttack },
    ),
    fc.oneof({ weight: 10, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.tuple(fc.nat(), text) }),
    fc.record(
      { operationName: fc.oneof(fc.constantFrom('Q', 'A', ''), json), extensions: json, variables: json },
      { requiredKeys: [] },
    ),
    fc.noBias(fc.nat(9)),
  )
  .map(([{ query, variables }, damage, others, which]) => ({
    query: damage ? splice([query, ...damage]) : query,
    variables,
    ...(which === 9 ? others : {}),
  }));

const stringify = (value: unknown) => JSON.stringify(value);

const body: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  { weight: 24, arbitrary: parameters.map(stringify) },
  { weight: 1, arbitrary: fc.array(parameters, { maxLength: 3 }).map(stringify) },
  { weight: 1, arbitrary: json.map(stringify) },
  { weight: 1, arbitrary: fc.tuple(parameters.map(stringify), fc.nat(), text).map(splice) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
);

const isSubscription = (body: string | Uint8Array) =>
  typeof body === 'string' && /^.{0,20}(subscription|postChanged|userChanged)/.test(body);

const post = fc.tuple(body, headers, fc.noBias(fc.nat(9))).map(([body, headers, streams]) => ({
  method: 'POST',
  path: '/graphql',
  headers: {
    'content-type': 'application/json',
    ...(streams < (isSubscription(body) ? 8 : 1) ? { accept: 'text/event-stream' } : {}),
    ...headers,
  },
  body,
}));

const get = fc.tuple(parameters, headers).map(([parameters, headers]) => {
  const query = Object.entries(parameters).map(([name, value]): [string, string] => [
    name,
    (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, 3_000),
  ]);
  return {
    method: 'GET',
    path: `/graphql?${new URLSearchParams(query)}`.slice(0, 12_000),
    headers: { 'apollo-require-preflight': 'true', ...headers },
  };
});

export const graphqlRequest: fc.Arbitrary<FuzzRequest> = fc.oneof(
  { weight: 8, arbitrary: post },
  { weight: 1, arbitrary: get },
);
