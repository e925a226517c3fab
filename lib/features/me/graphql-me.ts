import { environment } from '../../environment.ts';
import { forbidden, notFound } from '../../errors.ts';
import { CLAIM_AND_USER } from '../../graphql/budget.ts';
import type { GraphqlContext } from '../../graphql/context.ts';
import { toRestValues, toRestValuesWithoutNull } from '../../graphql/schema/own-fields.ts';
import { parseInput } from '../../input/parsing.ts';
import { listSubjects } from '../../users/fields/values.ts';
import { tryParseUser, type User } from '../../users/user.ts';
import type { LoggedChange } from '../change-log/entry.ts';
import { subscribe } from '../change-log/subscribe.ts';
import { userTopic } from '../change-log/topics.ts';
import { deleteMe as remove } from './delete.ts';
import { isBlocked } from './fields.ts';
import { addLoginInput, createMeInput, signInInput, updateMeInput } from './input.ts';
import { addLogin as add } from './logins.ts';
import { type Person, parsePerson } from './person.ts';
import { findMe, requireMe } from './read.ts';
import { signIn as signInPerson } from './sign-in.ts';
import { createMe as create, updateMe as update } from './write.ts';

/** Throws for requests without a token: signed requests, and all requests of an open service. */
function parseCallingPerson({ access }: GraphqlContext): Person {
  if (!access.claims) throw forbidden('The request must have a token');
  return parsePerson(access.claims);
}

export async function me(_: unknown, __: unknown, context: GraphqlContext): Promise<User | undefined> {
  const person = parseCallingPerson(context);
  context.budget.spendRead(CLAIM_AND_USER);
  return (await findMe(person))?.user;
}

type WithInput = { input: Record<string, unknown> };

function startWrite(context: GraphqlContext): Person {
  const person = parseCallingPerson(context);
  context.budget.spendRead(CLAIM_AND_USER);
  context.budget.spendWrite();
  return person;
}

/** Treats null as missing: clients send null for variables without a value. */
function toCreation(input: WithInput['input']): object {
  const { name, email, idToken, ...others } = toRestValuesWithoutNull(input);
  return { ...others, name: name ?? undefined, email: email ?? undefined, idToken: idToken ?? undefined };
}

export async function createMe(_: unknown, { input }: WithInput, context: GraphqlContext) {
  return { me: await create(startWrite(context), parseInput(createMeInput, toCreation(input))) };
}

export async function signIn(_: unknown, { input }: WithInput, context: GraphqlContext) {
  const { user, ...result } = await signInPerson(startWrite(context), parseInput(signInInput, toCreation(input)));
  return { me: user, ...result };
}

export async function addLogin(_: unknown, { input }: WithInput, context: GraphqlContext) {
  const { token } = parseInput(addLoginInput, input);
  return { me: await add(startWrite(context), token) };
}

type WithVersion = { ifVersion?: number | null };

const toConditions = (version: number | null | undefined) => (version == null ? {} : { ifVersion: [{ version }] });

export async function updateMe(_: unknown, { input }: WithInput, context: GraphqlContext) {
  const { ifVersion, idToken, ...others } = input as WithInput['input'] & WithVersion; // The GraphQL schema declares `ifVersion`.
  const changes = parseInput(updateMeInput, { ...toRestValues(others), idToken: idToken ?? undefined });
  return { me: await update(startWrite(context), changes, toConditions(ifVersion)) };
}

export async function deleteMe(_: unknown, { input }: { input: WithVersion }, context: GraphqlContext) {
  if (environment.selfDelete === 'off') throw forbidden('People cannot delete their records in this service');
  return remove(startWrite(context), toConditions(input.ifVersion));
}

/** Rejects cursors of other records. Throws NOT_FOUND without a record, and BLOCKED. */
export async function subscribeToMe(_: unknown, { after }: { after?: string | null }, context: GraphqlContext) {
  const person = parseCallingPerson(context);
  context.budget.spendRead(CLAIM_AND_USER);
  const { id } = (await requireMe(person)).user;
  const readVersion = async () => {
    const current = await findMe(person);
    if (current?.user.id !== id) throw notFound('User');
    return current.user.version;
  };
  const stream = await subscribe(userTopic(id), after, context.signal, readVersion);
  return Object.assign(keepOwn(stream, person), { start: stream.start });
}

/**
 * Skips changes from a time when the record belonged to another person, or blocked this one. Throws BLOCKED if the
 * record still blocks the person.
 */
async function* keepOwn(changes: AsyncIterable<LoggedChange>, person: Person): AsyncGenerator<LoggedChange> {
  let isOwn = true;
  for await (const change of changes) {
    const user = tryParseUser(change.item ?? {});
    if (change.item) isOwn = user !== undefined && listSubjects(user).includes(person.subject);
    const blocked = user !== undefined && isBlocked(user);
    // A resumed stream also reads blocks that an operator has ended since.
    if (isOwn && blocked) await findMe(person);
    if (isOwn && !blocked) yield change;
  }
}
