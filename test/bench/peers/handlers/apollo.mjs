import { ApolloServer } from '@apollo/server';
import { handlers, startServerAndCreateLambdaHandler } from '@as-integrations/aws-lambda';
import typeDefs from '../../../../lib/graphql/schema/schema.graphql';
import { findUser } from './find-user.mjs';

const resolvers = { Query: { user: (_, { id }) => findUser(id) } };

const server = new ApolloServer({ typeDefs, resolvers });

export const handler = startServerAndCreateLambdaHandler(server, handlers.createAPIGatewayProxyEventV2RequestHandler());
