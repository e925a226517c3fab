import { makeExecutableSchema } from '@graphql-tools/schema';
import type { GraphqlContext } from '../context.ts';
import { resolvers } from './resolvers.ts';
import typeDefs from './type-defs.ts';

export const schema = makeExecutableSchema<GraphqlContext>({ typeDefs, resolvers });
