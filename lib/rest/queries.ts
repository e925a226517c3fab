import * as z from 'zod/mini';
import { isUserId, normalizeId } from '../dynamodb/keys.ts';
import { changedSinceQuery } from '../features/change-log/rest-query.ts';
import { filterAndSortQueries } from '../features/filters/rest-queries.ts';
import { searchQuery } from '../features/search/rest-query.ts';
import { sizes } from '../sizes.ts';
import { creationCriterion, idCriterion, valueCriterion } from '../users/criteria.ts';
import { createClaim } from '../users/derived.ts';
import { canonicalEmail, fitsIntoAddress } from '../users/email.ts';
import { type FieldValue, MAX_LENGTH, type OwnField } from '../users/fields/declaration.ts';
import { listItems, uniqueFields } from '../users/fields/values.ts';
import { findUserByEmail, findUserByField, trimLikeStored } from '../users/unique-values.ts';
import { createListQuery, type ListQuery, parameter, readEmail, readValue, time } from './list-query.ts';

const emailQuery = createListQuery({
  name: 'email',
  right: 'read',
  value: parameter,
  toCriterion: (text) => emailCriterion(normalizeEmail(text)),
});

const emailCriterion = (email: string) =>
  valueCriterion(
    { email },
    () => findUserByEmail(email),
    (user) => canonicalEmail(user.email) === canonicalEmail(email),
  );

function normalizeEmail(text: string): string {
  const address = readEmail(text);
  // Drops an address that is too long: links to other pages repeat it, and it finds no user.
  return fitsIntoAddress(address) ? address : '';
}

const uniqueFieldQueries = uniqueFields.map((field) =>
  createListQuery({
    name: field.name,
    right: 'read',
    value: parameter,
    toCriterion: (text) => uniqueFieldCriterion(field, trimLikeStored(field, parseValue(field.type, text))),
  }),
);

const uniqueFieldCriterion = (field: OwnField, value: FieldValue) =>
  valueCriterion(
    { [field.name]: String(value) },
    () => findUserByField(field, value),
    ({ own }) => listItems(own[field.name]).some((item) => formatClaim(field, item) === formatClaim(field, value)),
  );

const formatClaim = (field: OwnField, value: FieldValue) => createClaim(field, value)?.key.pk ?? value;

/** A text that is not of the type matches no user. Drops a value that is too long, because links repeat it. */
const parseValue = (type: OwnField['type'], text: string): string | number =>
  [...text].length > MAX_LENGTH ? '' : readValue(type, text);

const listIds = (sent: unknown): string[] => [sent].flat().map((text) => normalizeId(String(text)));

const idQuery = createListQuery({
  name: 'id',
  right: 'read',
  value: z.unknown().check(
    z.refine((sent) => [sent].flat().length <= sizes.batchGet, `must be given at most ${sizes.batchGet} times`),
    z.refine((sent) => listIds(sent).every(isUserId), 'must be the id of a user; repeat the parameter for several ids'),
  ),
  toCriterion: (sent) => idCriterion(listIds(sent)),
});

const periodQuery: ListQuery = {
  right: 'list',
  parameters: { createdAfter: z.optional(time), createdBefore: z.optional(time) },
  toCriterion(values) {
    const { createdAfter, createdBefore } = values as Record<string, string | undefined>; // `time` is a text.
    if (createdAfter === undefined && createdBefore === undefined) return undefined;
    const [after, before] = [createdAfter, createdBefore].map((text) => (text ? Date.parse(text) : undefined));
    return creationCriterion(
      { ...(createdAfter && { createdAfter }), ...(createdBefore && { createdBefore }) },
      { after, before },
    );
  },
};

export const listQueries: readonly ListQuery[] = [
  idQuery,
  emailQuery,
  ...uniqueFieldQueries,
  searchQuery,
  periodQuery,
  changedSinceQuery,
  ...filterAndSortQueries,
];
