import { type GraphQLFieldResolver, type GraphQLSchema, isObjectType } from 'graphql';
import type { Right } from '../../auth/caller.ts';
import { requireRights } from '../authenticate.ts';
import type { GraphqlContext } from '../context.ts';

type FieldRights = readonly Right[] | ((args: never) => readonly Right[]);

const ROOT_TYPES = ['Query', 'Mutation', 'Subscription'] as const;

export type RootRights = { [Type in (typeof ROOT_TYPES)[number]]?: Record<string, FieldRights> };

type RootResolver = GraphQLFieldResolver<unknown, GraphqlContext>;

/** Makes root fields check their rights. The last declaration of a field wins. Throws if a field has none. */
export function checkRights(schema: GraphQLSchema, declared: readonly RootRights[]): void {
  for (const type of ROOT_TYPES) {
    const rightsOfFields: Record<string, FieldRights> = Object.assign({}, ...declared.map((rights) => rights[type]));
    const method = type === 'Subscription' ? 'subscribe' : 'resolve';
    const root = schema.getType(type);
    for (const field of isObjectType(root) ? Object.values(root.getFields()) : []) {
      const rights = rightsOfFields[field.name];
      const run: RootResolver | undefined = field[method];
      if (!rights || !run)
        throw new Error(`The field ${type}.${field.name} needs rights and a function to ${method} it`);
      field[method] = (parent, args, context, info) => {
        // The cast is safe, because graphql-js has validated the arguments.
        requireRights(context.access, typeof rights === 'function' ? rights(args as never) : rights);
        return run(parent, args, context, info);
      };
    }
  }
}
