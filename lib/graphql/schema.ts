import { makeExecutableSchema } from '@graphql-tools/schema';
import type { Context } from './context.ts';
import { resolvers } from './resolvers.ts';
import { typeDefs } from './type-defs.ts';

export const schema = makeExecutableSchema<Context>({ typeDefs, resolvers });
