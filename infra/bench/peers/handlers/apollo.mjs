import { ApolloServer } from '@apollo/server';
import { handlers, startServerAndCreateLambdaHandler } from '@as-integrations/aws-lambda';

import { findUser } from './find-user.mjs';
import typeDefs from './type-defs.mjs';

const resolvers = { Query: { user: (_, { id }) => findUser(id) } };

const server = new ApolloServer({ typeDefs, resolvers });

export const handler = startServerAndCreateLambdaHandler(server, handlers.createAPIGatewayProxyEventV2RequestHandler());
