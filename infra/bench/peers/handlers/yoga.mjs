import { createSchema, createYoga } from 'graphql-yoga';

import { findUser } from './find-user.mjs';
import typeDefs from './type-defs.mjs';

const resolvers = { Query: { user: (_, { id }) => findUser(id) } };

const yoga = createYoga({ schema: createSchema({ typeDefs, resolvers }) });

export async function handler(event, lambdaContext) {
  const { domainName, http } = event.requestContext;
  const response = await yoga.fetch(
    `https://${domainName}${http.path}?${event.rawQueryString}`,
    {
      method: http.method,
      headers: event.headers,
      body: event.body && event.isBase64Encoded ? Buffer.from(event.body, 'base64') : event.body,
    },
    { event, lambdaContext },
  );
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers.entries()),
    body: await response.text(),
    isBase64Encoded: false,
  };
}
