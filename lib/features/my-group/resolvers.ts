import { parse } from 'graphql';
import { countedConnection } from '../../graphql/schema/connection.ts';
import { loadOnFirstUse } from '../../graphql/schema/load-on-first-use.ts';
import { describeField, extend, NO_DEFINITIONS } from '../../graphql/schema/own-fields.ts';
import { loadWithRights } from '../../graphql/schema/root-fields.ts';
import { hasAdministrators, visibleFields, writableFields } from './fields.ts';
import type { Member } from './read.ts';

/** The types refer to no other types of users or groups, so queries cannot leave the group. */
const describeMyGroup = (): string => `
"The group that the caller administers."
type MyGroup {
  id: ID!
  name: String!
  """
  The members, in the order in which their users were created.

  - first: page size, 1 to 100.
  - after: pageInfo.endCursor of the previous page.
  - role: only members with this role.
  - search: every word must be the beginning of a word in the name or the address. Ignores case, accents and word order. A page may hold
    fewer members than first, or none, although more follow: check pageInfo.hasNextPage.
  """
  members(first: Int = 20, after: String, role: String, search: String): MemberConnection!
  "Null for everybody else."
  member(id: ID!): Member
}

"A member of the group that the caller administers."
type Member {
  id: ID!
  name: String!
  email: String!
  role: String!
  ${visibleFields.map((field) => describeField(field, field.default === undefined ? '' : '!')).join('\n')}
  createdAt: DateTime!
}

type MemberEdge {
  cursor: String!
  node: Member!
}

"A page of members (https://relay.dev/graphql/connections.htm)."
type MemberConnection {
  edges: [MemberEdge!]!
  "The members of all edges, without their cursors."
  nodes: [Member!]!
  pageInfo: PageInfo!
  "Members on all pages. Null with search, and for more than 10,000 members."
  totalCount: Int
}

${extend('type Query', [
  `"""
  The group that your token names. Fails with FORBIDDEN and the reason NO_GROUP (no such group) or NO_GROUP_ADMIN (you are not one of its
  administrators).
  """
  myGroup: MyGroup!`,
])}

input AddMyGroupMemberInput {
  name: String!
  email: String!
  "Default: the first role of the setting groupRoles."
  role: String
  ${writableFields.map((field) => describeField(field, field.required ? '!' : '')).join('\n')}
  "Makes retries safe. A second request with the same key and input within 24 hours returns the first result and creates nothing."
  idempotencyKey: String
}

type AddMyGroupMemberPayload {
  member: Member!
}

"The address of a member cannot be changed here."
input UpdateMyGroupMemberInput {
  id: ID!
  name: String
  role: String
  ${writableFields.map((field) => describeField(field, '')).join('\n')}
}

type UpdateMyGroupMemberPayload {
  member: Member!
}

input RemoveMyGroupMemberInput {
  id: ID!
}

type RemoveMyGroupMemberPayload {
  id: ID!
}

extend type Mutation {
  """
  Creates a user in your group. Fails with CONFLICT and the reason EMAIL_TAKEN or VALUE_TAKEN. Limit of a group: 600 changes an hour, then
  TOO_MANY_REQUESTS. Failed ones count.
  """
  addMyGroupMember(input: AddMyGroupMemberInput!): AddMyGroupMemberPayload
  """
  Changes only the fields that you send. Fails with NOT_FOUND for users outside of your group, and with CONFLICT and the reason LAST_ADMIN
  if the group would lose its last administrator.
  """
  updateMyGroupMember(input: UpdateMyGroupMemberInput!): UpdateMyGroupMemberPayload
  "Removes a member from your group, but does not delete the user. Fails as updateMyGroupMember does."
  removeMyGroupMember(input: RemoveMyGroupMemberInput!): RemoveMyGroupMemberPayload
}`;

const load = () => import('./graphql-my-group.ts');

const { listMembers, findMember } = loadOnFirstUse(load, 'listMembers', 'findMember');

const resolvers = {
  MyGroup: { members: listMembers, member: findMember },
  Member: Object.fromEntries(visibleFields.map(({ name }) => [name, ({ own }: Member) => own[name]])),
  MemberConnection: countedConnection,
  Query: loadWithRights(load, { myGroup: ['group'] }),
  Mutation: loadWithRights(load, {
    addMyGroupMember: ['group'],
    updateMyGroupMember: ['group'],
    removeMyGroupMember: ['group'],
  }),
};

/** The cast erases types, because the compiler does not know the declarations. */
export const myGroup = {
  definitions: hasAdministrators ? parse(describeMyGroup(), { noLocation: true }) : NO_DEFINITIONS,
  resolvers: (hasAdministrators ? resolvers : {}) as Record<never, object>,
};
