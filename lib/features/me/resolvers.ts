import { parse } from 'graphql';
import { environment } from '../../environment.ts';
import { describeField, extend, NO_DEFINITIONS } from '../../graphql/schema/own-fields.ts';
import { loadWithRights } from '../../graphql/schema/root-fields.ts';
import { listSubjects, subjectField } from '../../users/fields/values.ts';
import { parseUser, type User } from '../../users/user.ts';
import type { LoggedChange } from '../change-log/entry.ts';
import type { Versions } from '../change-log/versions.ts';
import { visibleFields, writableFields } from './fields.ts';

const ID_TOKEN = `
  "An ID token of your sign-in, at most 5 minutes old. Its verified address counts like the address of your token."
  idToken: String`;

/** `Me` refers to no other type, so queries cannot reach other users. */
const describeMe = (): string => `
"The record of the signed-in person."
type Me {
  id: ID!
  name: String!
  email: String!
  ${visibleFields.map((field) => describeField(field, field.default === undefined ? '' : '!')).join('\n')}
  createdAt: DateTime!
  updatedAt: DateTime!
  "Starts at 1. Each change of a value adds 1. Pass it as ifVersion to mutations to avoid overwriting a concurrent change."
  version: Int!
}

${extend('type Query', ['"Your own record. Null if you have none yet: create it with signIn or createMe." me: Me'])}

"Other members of Me cannot be set here."
input CreateMeInput {
  name: String!
  "Default: the verified address of your token. No other address is accepted."
  email: String
  ${writableFields.map((field) => describeField(field, field.required ? '!' : '')).join('\n')}
  ${ID_TOKEN}
}

type CreateMePayload {
  me: Me!
}

"Only a creation uses these members. It fails without a name, as createMe."
input SignInInput {
  name: String
  "Default: the verified address of your token. No other address is accepted."
  email: String
  ${writableFields.map((field) => describeField(field, '')).join('\n')}
  ${ID_TOKEN}
}

"found: you had a record. linked: an existing record with your verified address is now yours. created: the record is new."
enum SignInOutcome {
  found
  linked
  created
}

type SignInPayload {
  me: Me!
  outcome: SignInOutcome!
  "True if the record keeps its address because another user has the verified address of your token."
  emailConflict: Boolean!
}

"Other members of Me cannot be changed here."
input UpdateMeInput {
  name: String
  "Only the verified address of your token is accepted."
  email: String
  ${writableFields.map((field) => describeField(field, '')).join('\n')}
  ${ID_TOKEN}
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

extend type UserHistoryEntry {
  "True if the change gave an existing user a subject. By self: a sign-in linked the record to the person."
  linked: Boolean!
}

extend type Mutation {
  "Finds, links or creates your own record: call it once after each sign-in. Fails like createMe, except with SUBJECT_TAKEN."
  signIn(input: SignInInput! = {}): SignInPayload
  """
  Creates your own record. Fails with CONFLICT and the reason SUBJECT_TAKEN (you already have a record), EMAIL_TAKEN, VALUE_TAKEN or
  SUBJECT_DELETED. Fails with FORBIDDEN and the reason EMAIL_NOT_VERIFIED if the token has no verified address.
  """
  createMe(input: CreateMeInput!): CreateMePayload
  "Changes only the fields that you send. Limit: 60 changes an hour, then TOO_MANY_REQUESTS. Equal values write nothing and do not count."
  updateMe(input: UpdateMeInput!): UpdateMePayload
  "Deletes your own record, if the service allows it. You must have signed in within the last 15 minutes."
  deleteMe(input: DeleteMeInput! = {}): DeleteMePayload
}
${subjectField?.list ? LOGINS : ''}
${environment.followsOwnRecords ? SUBSCRIPTION : ''}`;

const LOGINS = `
input AddLoginInput {
  "An access token of the other login, at most 5 minutes old."
  token: String!
}

type AddLoginPayload {
  me: Me!
}

extend type Mutation {
  """
  Adds another login to your own record: both logins then use it. A login of the record changes nothing. Fails with CONFLICT and the
  reason SUBJECT_TAKEN (the login has a record), SUBJECT_DELETED (it had one in the last 24 hours) or TOO_MANY_LOGINS.
  """
  addLogin(input: AddLoginInput!): AddLoginPayload
}`;

const SUBSCRIPTION = `
type MeChange {
  "Pass it as after to continue after this change."
  cursor: ID!
  kind: ChangeKind!
  at: DateTime!
  "The record after the change. Null for a deletion."
  me: Me
}

extend type Subscription {
  "Streams the changes of your own record. You can have one open stream."
  meChanged(after: ID): MeChange!
}`;

const load = () => import('./graphql-me.ts');
const { subscribeToMe } = loadWithRights(load, { subscribeToMe: ['self'] });

const Subscription = {
  meChanged: {
    subscribe: subscribeToMe,
    resolve: ({ item, cursor, kind, at }: LoggedChange) => ({ cursor, kind, at, me: item && parseUser(item) }),
  },
};

const resolvers = {
  Me: Object.fromEntries(visibleFields.map(({ name }) => [name, ({ own }: User) => own[name]])),
  UserHistoryEntry: {
    linked: ({ before, after }: Versions) =>
      before !== undefined &&
      after !== undefined &&
      listSubjects(before).length === 0 &&
      listSubjects(after).length > 0,
  },
  Query: loadWithRights(load, { me: ['self'] }),
  Mutation: {
    ...loadWithRights(load, { signIn: ['self'], createMe: ['self'], updateMe: ['self'], deleteMe: ['self'] }),
    ...(subjectField?.list ? loadWithRights(load, { addLogin: ['self'] }) : {}),
  },
  ...(environment.followsOwnRecords ? { Subscription } : {}),
};

/** The cast erases types, because the compiler does not know the declarations. */
export const ownRecords = {
  definitions: subjectField ? parse(describeMe(), { noLocation: true }) : NO_DEFINITIONS,
  resolvers: (subjectField ? resolvers : {}) as Record<never, object>,
};
