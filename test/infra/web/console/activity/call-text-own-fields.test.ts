import '../browser-globals.ts';
import { parse, validate } from 'graphql';
import { beforeAll, expect, test, vi } from 'vitest';
import { toGraphql } from '../../../../../infra/web/console/activity/call-text.ts';
import type { ApiRequest } from '../../../../../infra/web/console/api/calls.ts';
import { ownFields } from '../../../../../infra/web/console/own-fields.ts';
import { ownFields as declaredFields } from '../../../../../lib/features/own-fields/declared.ts';
import { schema } from '../../../../../lib/graphql/schema/schema.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/own-fields.json';
});
beforeAll(() => ownFields.set(() => declaredFields));

const FIELDS = 'nickname memberNumber plan age seat score isStaff birthday lastSeenAt tags phone';
const rename: ApiRequest = {
  method: 'PATCH',
  path: '/v1/users/1',
  headers: { 'if-match': '"3"' },
  body: { nickname: null },
};

test.each<[ApiRequest, string]>([
  [{ method: 'GET', path: '/v1/users?limit=20&page=1' }, `{ node { id name email ${FIELDS} } }`],
  [{ method: 'GET', path: '/v1/users?memberNumber=A"1' }, 'userByMemberNumber(memberNumber: "A\\"1")'],
  [{ method: 'GET', path: '/v1/users?seat=7' }, `userBySeat(seat: 7) { id name email ${FIELDS} }`],
  [rename, `user { id name email ${FIELDS} version }`],
])('the GraphQL copy of %o shows the own fields and is valid in the schema', (request, expected) => {
  expect(toGraphql(request)).toContain(expected);
  expect(validate(schema, parse(toGraphql(request)))).toEqual([]);
});
