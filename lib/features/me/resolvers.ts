import { type DocumentNode, Kind, parse } from 'graphql';
import { environment } from '../../environment.ts';
import { loadOnFirstUse } from '../../graphql/schema/load-on-first-use.ts';
import { describeField, extend } from '../../graphql/schema/own-fields.ts';
import type { RootRights } from '../../graphql/schema/rights.ts';
import { subjectField } from '../../users/fields/values.ts';
import { parseUser, type User } from '../../users/user.ts';
import type { LoggedChange } from '../change-log/subscribe.ts';
import { visibleFields, writableFields } from './fields.ts';

/** `Me` refers to no other type, so queries cannot reach other users. */
const describeMe = (): string => `
"The record of the person who signed in."
type Me {
  id: ID!
  name: String!
  email: String!
  ${visibleFields.map((field) => describeField(field, field.default === undefined ? '' : '!')).join('\n')}
  createdAt: DateTime!
  updatedAt: DateTime!
  "Starts at 1; every write adds 1. Mutations accept it as ifVersion."
  version: Int!
}

${extend('type Query', ['"Your own record. Null if you have none yet: create it with createMe." me: Me'])}

input CreateMeInput {
  name: String!
  "Defaults to the verified address in the token, and must equal it."
  email: String
  ${writableFields.map((field) => describeField(field, field.required ? '!' : '')).join('\n')}
}

type CreateMePayload {
  me: Me!
}

input UpdateMeInput {
  name: String
  "Must equal the verified address in the token."
  email: String
  ${writableFields.map((field) => describeField(field, '')).join('\n')}
  "Fails with PRECONDITION_FAILED unless the record has this version."
  ifVersion: Int
}

type UpdateMePayload {
  me: Me!
}

input DeleteMeInput {
  "Fails with PRECONDITION_FAILED unless the record has this version."
  ifVersion: Int
}

type DeleteMePayload {
  id: ID!
}

extend type Mutation {
  """
  Creates your own record. Of parallel mutations, one succeeds. Fails with CONFLICT and the reason SUBJECT_TAKEN, EMAIL_TAKEN,
  VALUE_TAKEN or SUBJECT_DELETED, and with FORBIDDEN and the reason EMAIL_NOT_VERIFIED.
  """
  createMe(input: CreateMeInput!): CreateMePayload
  "Changes the given fields of your own record. Limit: 60 changes an hour."
  updateMe(input: UpdateMeInput!): UpdateMePayload
  "Deletes your own record, if the service allows it. You must have signed in within the last 15 minutes."
  deleteMe(input: DeleteMeInput! = {}): DeleteMePayload
}
${environment.followsOwnRecords ? SUBSCRIPTION : ''}`;

const SUBSCRIPTION = `
type MeChange {
  "Pass it as after to resume after this change."
  cursor: ID!
  kind: ChangeKind!
  at: DateTime!
  "The record after the change. Null after a deletion."
  me: Me
}

extend type Subscription {
  "The changes of your own record. You can have one open stream."
  meChanged(after: ID): MeChange!
}`;

const load = () => import('./graphql-me.ts');
const { subscribeToMe } = loadOnFirstUse(load, 'subscribeToMe');

const Subscription = {
  meChanged: {
    subscribe: subscribeToMe,
    resolve: ({ item, cursor, kind, at }: LoggedChange) => ({ cursor, kind, at, me: item && parseUser(item) }),
  },
};

const resolvers = {
  Me: Object.fromEntries(visibleFields.map(({ name }) => [name, ({ own }: User) => own[name]])),
  Query: loadOnFirstUse(load, 'me'),
  Mutation: loadOnFirstUse(load, 'createMe', 'updateMe', 'deleteMe'),
  ...(environment.followsOwnRecords ? { Subscription } : {}),
};

const rights: RootRights = {
  Query: { me: ['self'] },
  Mutation: { createMe: ['self'], updateMe: ['self'], deleteMe: ['self'] },
  Subscription: { meChanged: ['self'] },
};

const NO_DEFINITIONS: DocumentNode = { kind: Kind.DOCUMENT, definitions: [] };

/** Empty unless a subject is declared. The compiler cannot know. */
export const ownRecords = {
  definitions: subjectField ? parse(describeMe(), { noLocation: true }) : NO_DEFINITIONS,
  resolvers: (subjectField ? resolvers : {}) as Record<never, object>,
  rights: (subjectField ? rights : {}) as Record<never, object>,
};
