import { AsyncLocalStorage } from 'node:async_hooks';
import {
  astFromValue,
  createSourceEventStream,
  type DocumentNode,
  execute,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  isRequiredArgument,
  OperationTypeNode,
  parse,
  print,
} from 'graphql';
import { expect, vi } from 'vitest';
import { table } from '../../../lib/dynamodb/client.ts';
import { mergeUsers } from '../../../lib/features/merge/merge.ts';
import { Budget } from '../../../lib/graphql/budget.ts';
import { createGraphqlContext, type GraphqlContext } from '../../../lib/graphql/context.ts';
import { deleteUser } from '../../../lib/users/delete.ts';
import { newPerson } from '../../setup/test-data.ts';
import { append, newChange } from '../features/change-log/changes.ts';
import { createPost, createUser } from './client.ts';

type Arguments = Record<string, unknown>;
type Field = GraphQLField<unknown, GraphqlContext>;

/** Requests of a field to the table, and its `charges` to the budget (the request's item limit). */
type Usage = { field: string; requests: number; charges: number };
const current = new AsyncLocalStorage<Usage>();

/**
 * Returns fields that query the table without charging the budget. `examples` has arguments that `createExample` does
 * not know. Runs all root fields, unless `only` names one.
 */
export async function findUncharged(
  schema: GraphQLSchema,
  examples: Record<string, Arguments> = {},
  only?: string,
): Promise<string[]> {
  const usages: Usage[] = [];
  const restore = [countRequests(), countCharges(), recordResolvers(schema, usages)];
  try {
    for (const kind of Object.values(OperationTypeNode))
      for (const field of Object.values(schema.getRootType(kind)?.getFields() ?? {}))
        if (!only || field.name === only)
          await runField(schema, kind, field, { ...(await createExample(kind, field)), ...examples[field.name] });
  } finally {
    for (const each of restore) each();
  }
  const called = new Set(usages.map(({ field }) => field));
  if (!only) expect(listResolved(schema).filter(({ name }) => !called.has(name))).toEqual([]);
  const uncharged = usages.filter(({ requests, charges }) => requests > 0 && charges === 0);
  return [...new Set(uncharged.map(({ field }) => field))];
}

async function createExample(kind: OperationTypeNode, { name }: Field): Promise<Arguments> {
  const user = await createUser();
  const post = await createPost(user.id);
  const pk = `USER#${user.id}`;
  const now = new Date().toISOString();
  const times = { createdAt: now, updatedAt: now };
  await append([
    newChange(user.id, { item: { ...times, pk, name: user.name, email: user.email, version: 1 } }),
    newChange(post.id, { item: { ...times, pk, sk: `POST#${post.id.split('.')[1]}`, title: post.title } }),
  ]);
  if (name === 'restoreUser') await deleteUser({ id: user.id }, 'test');
  if (name === 'mergeUsers') return { input: { keep: (await createUser()).id, remove: user.id } };
  if (name === 'undoMerge') {
    const kept = await createUser();
    await mergeUsers({ keep: kept.id, remove: user.id }, 'test');
    const item = { ...times, name: kept.name, email: kept.email };
    await append([newChange(kept.id, { version: 2, item: { ...item, version: 2 }, before: { version: 1 } })]);
  }
  if (kind === OperationTypeNode.MUTATION) return { input: createInput(name, user.id, post.id) };
  return {
    id: name === 'post' ? post.id : user.id,
    ids: [user.id],
    authorId: user.id,
    email: user.email,
    emails: [user.email],
    search: user.name,
    ...(kind === OperationTypeNode.SUBSCRIPTION ? { after: new Date(Date.now() - 60_000).toISOString() } : {}),
  };
}

function createInput(mutation: string, userId: string, postId: string): Arguments | undefined {
  switch (mutation) {
    case 'createUser':
      return newPerson();
    case 'createUsers':
    case 'upsertUsers':
      return { users: [newPerson()] };
    case 'updateUsers':
      return { users: [{ id: userId, name: 'Ada' }] };
    case 'deleteUsers':
      return { users: [{ id: userId }] };
    case 'createPost':
      return { authorId: userId, title: 'On Engines' };
    case 'replaceUser':
    case 'updateUser':
      return { id: userId, ...newPerson() };
    case 'deleteUser':
    case 'restoreUser':
    case 'undoMerge':
      return { id: userId };
    case 'updatePost':
    case 'publishPost':
    case 'deletePost':
      return { id: postId };
    default:
      return undefined;
  }
}

async function runField(
  schema: GraphQLSchema,
  kind: OperationTypeNode,
  field: Field,
  values: Arguments,
): Promise<void> {
  const required = field.args.filter(isRequiredArgument);
  const missing = required.find(({ name }) => values[name] === undefined);
  if (missing) throw new Error(`findUncharged needs an example of the argument ${missing.name} of ${field.name}`);
  for (const args of kind === OperationTypeNode.MUTATION ? [required] : [required, field.args]) {
    const written = args.flatMap(({ name, type }) => {
      const value = name in values ? astFromValue(values[name], type) : undefined;
      return value ? `${name}: ${print(value)}` : [];
    });
    const call = written.length > 0 ? `${field.name}(${written.join(', ')})` : field.name;
    const document = parse(`${kind} { ${call} ${select(field.type)} }`);
    if (kind !== OperationTypeNode.SUBSCRIPTION) await run(schema, document);
    else await subscribe(schema, document, args.length === field.args.length);
  }
}

async function run(schema: GraphQLSchema, document: DocumentNode, rootValue?: unknown): Promise<void> {
  const contextValue = createGraphqlContext({ caller: 'ada' });
  expect(await execute({ schema, document, rootValue, contextValue }), print(document)).not.toHaveProperty('errors');
}

/** Opens a subscription. If `hasEvents`, it started in the past, so its first event is read. */
async function subscribe(schema: GraphQLSchema, document: DocumentNode, hasEvents: boolean): Promise<void> {
  const stop = new AbortController();
  const contextValue = createGraphqlContext({ caller: 'ada' }, stop.signal);
  const events = await createSourceEventStream({ schema, document, contextValue });
  if (!(Symbol.asyncIterator in events)) throw new Error(JSON.stringify(events));
  if (hasEvents) await run(schema, document, (await events[Symbol.asyncIterator]().next()).value);
  stop.abort();
}

/** Selects all fields, but not those with types of enclosing selections, to avoid cycles. */
function select(type: GraphQLOutputType, above: string[] = []): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const fields = Object.values(named.getFields()).filter((field) => !above.includes(getNamedType(field.type).name));
  return `{ ${fields.map((field) => `${field.name} ${select(field.type, [...above, named.name])}`).join(' ')} }`;
}

type Resolved = { name: string; field: Field };

const listResolved = (schema: GraphQLSchema): Resolved[] =>
  Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()).map((field) => ({ name: `${type.name}.${field.name}`, field })))
    .filter(({ name, field }) => (field.resolve || field.subscribe) && !name.startsWith('__'));

/** Runs each resolver with a new context, because entities loaded in a shared one would hide its requests. */
function recordResolvers(schema: GraphQLSchema, usages: Usage[]): () => void {
  const restore = listResolved(schema).map(({ name, field }) => {
    const { resolve, subscribe } = field;
    const record = (original: NonNullable<Field['resolve']>): NonNullable<Field['resolve']> => {
      return (parent, args, { access, signal }, info) => {
        const usage = { field: name, requests: 0, charges: 0 };
        usages.push(usage);
        return current.run(usage, () => original(parent, args, createGraphqlContext(access, signal), info));
      };
    };
    if (resolve) field.resolve = record(resolve);
    if (subscribe) field.subscribe = record(subscribe);
    return () => Object.assign(field, { resolve, subscribe });
  });
  return () => {
    for (const each of restore) each();
  };
}

/** Counts requests for the current field: loaders send them in the async context of their first caller. */
function countRequests(): () => void {
  const send = table.send.bind(table);
  const spy = vi.spyOn(table, 'send').mockImplementation((...args) => {
    const usage = current.getStore();
    if (usage) usage.requests++;
    return send(...args);
  });
  return () => spy.mockRestore();
}

const CHARGES = ['spendRead', 'spendWrite'] as const;

function countCharges(): () => void {
  const spies = CHARGES.map((name) => {
    const original = Budget.prototype[name];
    return vi.spyOn(Budget.prototype, name).mockImplementation(function (this: Budget, items = 1) {
      const usage = current.getStore();
      if (usage) usage.charges++;
      return original.call(this, items);
    });
  });
  return () => {
    for (const spy of spies) spy.mockRestore();
  };
}
