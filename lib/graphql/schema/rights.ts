import { type GraphQLFieldResolver, type GraphQLSchema, OperationTypeNode } from 'graphql';
import type { Right } from '../../auth/caller.ts';
import { requireRights } from '../authenticate.ts';
import type { GraphqlContext } from '../context.ts';

type FieldRights = readonly Right[] | ((args: never) => readonly Right[]);

export type RootRights = { [Type in 'Query' | 'Mutation' | 'Subscription']?: Record<string, FieldRights> };

/** Makes root fields check their rights. The last declaration of a field wins. Throws if a field has none. */
export function checkRights(schema: GraphQLSchema, declared: readonly RootRights[]): void {
  for (const kind of Object.values(OperationTypeNode)) {
    const type = schema.getRootType(kind);
    for (const field of Object.values(type?.getFields() ?? {})) {
      const rights = declared
        .map((each) => new Map(Object.entries(each)).get(String(type))?.[field.name])
        .findLast(Boolean);
      const method = kind === OperationTypeNode.SUBSCRIPTION ? 'subscribe' : 'resolve';
      const run = field[method];
      if (!rights || !run)
        throw new Error(`The field ${type}.${field.name} needs rights and a function to ${method} it`);
      field[method] = checkFirst(rights, run);
    }
  }
}

type RootResolver = GraphQLFieldResolver<unknown, GraphqlContext>;

const checkFirst =
  (rights: FieldRights, run: RootResolver): RootResolver =>
  (parent, args, context, info) => {
    // The cast is safe, because graphql-js has validated the arguments.
    requireRights(context.access, typeof rights === 'function' ? rights(args as never) : rights);
    return run(parent, args, context, info);
  };
