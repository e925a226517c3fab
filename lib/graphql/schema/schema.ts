import { makeExecutableSchema } from '@graphql-tools/schema';
import type { Context } from '../context.ts';
import { mutationTypeDefs } from './mutation-type-defs.ts';
import { resolvers } from './resolvers.ts';
import { typeDefs } from './type-defs.ts';

export const schema = makeExecutableSchema<Context>({ typeDefs: [typeDefs, mutationTypeDefs], resolvers });
