import { MAX_VALUES, OPERATORS } from '../../lib/features/filters/criteria.ts';
import { filterFields, rangeFields, sortNames } from '../../lib/features/filters/entries.ts';
import { groupRoles } from '../../lib/features/groups/membership-entries.ts';
import { MAX_LENGTH } from '../../lib/features/search/query.ts';
import { DEFAULT_LIMIT } from '../../lib/rest/operations/list-users.ts';
import type { RouteName } from '../../lib/rest/operations.ts';
import { sizes } from '../../lib/sizes.ts';
import type { OwnField } from '../../lib/users/fields/declaration.ts';
import { keyFields, membershipField, uniqueFields } from '../../lib/users/fields/values.ts';
import type { JsonSchema } from './values.ts';

// Not in lib/: functions would load these texts.

/** `body` and `response`: schemas in the document, and types in generated clients. */
export type OperationDescription = {
  summary: string;
  description: string;
  body?:
    | 'UserInput'
    | 'UserReplacement'
    | 'UserUpsert'
    | 'UserPatch'
    | 'MeInput'
    | 'MePatch'
    | 'LoginInput'
    | 'SignInInput';
  response?: 'User' | 'UserList' | 'Me' | 'MeData';
};

export const operationDescriptions: Record<RouteName, OperationDescription> = {
  'list-users': {
    summary: 'List users',
    description:
      'Lists users, by default oldest first. Follow `Link` to get further pages: each page costs about the same. Deployments may require another scope, except to look up users by `id`, `email` or a unique value.',
    response: 'UserList',
  },
  'get-user': {
    summary: 'Get a user',
    description:
      'Returns the user. Send its `ETag` as `If-None-Match` in later requests: the response is 304 without a body while the user is unchanged.',
    response: 'User',
  },
  'create-user': {
    summary: 'Create a user',
    description:
      'Creates a user. The response is 409 if another user has the email address, ignoring case. Send an `Idempotency-Key` to retry safely after a lost response.',
    body: 'UserInput',
    response: 'User',
  },
  'replace-user': {
    summary: 'Replace a user',
    description:
      'Replaces all fields: clears the optional fields that you omit. Equal values write nothing and keep the `ETag`. Send `If-Match` to replace only the version that you have read.',
    body: 'UserReplacement',
    response: 'User',
  },
  'upsert-user': {
    summary: 'Create or replace the user with a unique value',
    description:
      'Creates the user with this `email` or value of a unique field, or replaces all fields of the existing one. The query names exactly one such value. The body may repeat it, in any spelling that counts as equal, or omit it. Safe to repeat: equal values write nothing and keep the `ETag`, and parallel requests create one user. `If-None-Match: *` only creates. `If-Match` only replaces: the response is 412 if no user has the value.',
    body: 'UserUpsert',
    response: 'User',
  },
  'update-user': {
    summary: 'Update a user',
    description:
      'Changes only the fields that you send. Equal values write nothing and keep the `ETag`. Send `If-Match` to change only the version that you have read.',
    body: 'UserPatch',
    response: 'User',
  },
  'delete-user': {
    summary: 'Delete a user',
    description:
      'Deletes the user immediately, and the posts within seconds. REST cannot undo a deletion. Send `If-Match` to delete only the version that you have read.',
  },
  'get-me': {
    summary: 'Get your own record',
    description:
      'Returns your record, without hidden fields. The response is 404 if you have none yet: create it with a sign-in or with POST.',
    response: 'Me',
  },
  'create-me': {
    summary: 'Create your own record',
    description:
      'Creates your record, with the verified email address of your token. You can have one record: if it exists already, the response is 409 with its `Location`.',
    body: 'MeInput',
    response: 'Me',
  },
  'update-me': {
    summary: 'Update your own record',
    description:
      'Changes only the fields that you send. Other members of the record cannot be changed here: 400. For `email`, only the verified address of your token is accepted. Limit: 60 changes an hour. Equal values write nothing and do not count.',
    body: 'MePatch',
    response: 'Me',
  },
  'add-login': {
    summary: 'Add a login to your own record',
    description:
      'Adds the login that another access token of yours belongs to, at most 5 minutes old. Both logins then use this record. A login that the record has already changes nothing. The response is 409 if the login has a record, or had one in the last 24 hours, or if the record has the most logins it can have. Limit: 60 changes an hour.',
    body: 'LoginInput',
    response: 'Me',
  },
  'delete-me': {
    summary: 'Delete your own record',
    description:
      'Deletes your record. You must have signed in within the last 15 minutes. You can create a new record after 24 hours. The response is 405 if the service does not allow deletions.',
  },
  'sign-in': {
    summary: 'Sign in',
    description:
      'Call it once after each sign-in. Finds your record. If you have none, some services give you the existing record with your verified address. Otherwise creates a record with the members of the body, which only a creation uses and needs. Safe to repeat.',
    body: 'SignInInput',
    response: 'Me',
  },
  'get-my-data': {
    summary: 'Download your data',
    description:
      'Returns your record, logins, posts and history as a file. `missing` names what it lacks. Limit: three a day, also for HEAD.',
    response: 'MeData',
  },
};

const filters = filterFields.map((field): [string, JsonSchema] => [
  field.name,
  {
    type: 'array',
    items: describeValue(field),
    maxItems: MAX_VALUES,
    description: `Lists only users with this ${field.list ? `value in ${field.name}` : field.name}. Repeat the parameter for any of up to ${MAX_VALUES} values.`,
  },
]);

const MEANINGS = { gte: 'at least', gt: 'above', lte: 'at most', lt: 'below' };

const ranges = rangeFields.flatMap((field): [string, JsonSchema][] => {
  const { name, sort } = field;
  const bounds = OPERATORS.map((operator): [string, JsonSchema] => [
    `${name}.${operator}`,
    {
      ...describeValue({ ...field, enum: [] }),
      description: `Lists only users with a ${name} ${MEANINGS[operator]} this value, in the order of ${name}.`,
    },
  ]);
  const description = `\`false\` lists only users without a ${name}, \`true\` only those with one.${sort ? '' : ' Needs another condition.'}`;
  return [...(sort ? bounds : []), [`${name}.exists`, { type: 'boolean', description }]];
});

function describeValue({ type, enum: choices = [] }: OwnField): JsonSchema {
  if (choices.length > 0)
    return { type: type === 'integer' || type === 'number' ? type : 'string', enum: [...choices] };
  switch (type) {
    case 'boolean':
    case 'integer':
    case 'number':
      return { type };
    case 'date':
      return { type: 'string', format: 'date' };
    default:
      return { type: 'string' };
  }
}

const lookups = uniqueFields.map(({ name, unique }): [string, JsonSchema] => [
  name,
  {
    type: 'string',
    description: `Lists only the user with this ${name}, ${unique === 'exact' ? 'compared exactly' : 'ignoring case'}. The list is empty for an unknown value.`,
  },
]);

/** Values that name the user to create or replace. */
export const keyParameters: Record<string, JsonSchema> = Object.fromEntries(
  keyFields.map((name) => [name, { type: 'string', description: `Creates or replaces the user with this ${name}.` }]),
);

const members: Record<string, JsonSchema> = membershipField
  ? {
      group: { type: 'string', format: 'uuid', description: 'Lists only members of the group with this id.' },
      role: {
        type: 'string',
        enum: [...groupRoles],
        description: 'Lists only members who have this role in `group`, which is required.',
      },
    }
  : {};

/** `order` and `page` have no keyword `default`: forms generated from the document would send it with `q`. */
export const queryParameters: Record<string, JsonSchema> = {
  // A unique field looks up one user, even if it is a filter, too.
  ...Object.fromEntries([...filters, ...ranges, ...lookups]),
  ...members,
  page: {
    type: 'integer',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Page number, by default 1. Pages after the last one are empty.',
  },
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: sizes.list,
    default: DEFAULT_LIMIT,
    description: 'Maximum users per page.',
  },
  after: {
    type: 'string',
    description:
      'Continues after this position. Take it from the `Link` to the next page. In creation order, it is the id of a user.',
  },
  order: {
    type: 'string',
    enum: ['asc', 'desc'],
    description: '`asc` (default): oldest users first, or lowest value of `sort` first. `desc`: the reverse.',
  },
  include: { description: '`times` adds `createdAt`, `updatedAt` and `version` to each user.' },
  id: {
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    maxItems: sizes.batchGet,
    description: `Lists only the users with these ids, in the order of the ids. Repeat the parameter for up to ${sizes.batchGet} users. Skips unknown ids. A malformed id is 400.`,
  },
  email: {
    type: 'string',
    description:
      'Lists only the user with this email address, ignoring case. The list is empty for an unknown address.',
  },
  q: {
    type: 'string',
    minLength: 1,
    maxLength: MAX_LENGTH,
    description:
      'Searches users. Every word must be the beginning of a word in the name, the email address, its domain (`@example.org`) or a search field. Ignores case, accents, apostrophes, the grouping of digits, and word order. Users who have the words in the given order come first. Also accepts an id, a phone number, or a pasted `Ada <ada@example.org>`. A word needs at least two characters, or one Chinese, Japanese or Korean character. A page has at most 100 users and may have fewer although more follow. Cannot be combined with `page`.',
  },
  createdAfter: {
    type: 'string',
    description: 'Lists only users created after this time, or after the start of this day in UTC.',
  },
  createdBefore: {
    type: 'string',
    description: 'Lists only users created before this time, or before the start of this day in UTC.',
  },
  changedSince: {
    type: 'string',
    description:
      'Lists only users changed since this time (or since the start of this day in UTC), in the order of their last change. Deleted users are missing: use GraphQL `userChanges` to get deletions, too. A change appears after about a second. Reaches back 25 hours, or `historyDays` if that is longer; the response to an earlier time is 400. If `email`, a unique field, `id`, `q` or `sort` finds the users, their `updatedAt` counts instead, however old.',
  },
  sort: {
    type: 'string',
    enum: [...sortNames],
    description:
      'Sorts users by this value. Text ignores case and accents. Users without a value come last. Users with equal values are in creation order.',
  },
};
