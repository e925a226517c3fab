import middy from '@middy/core';
import httpErrorHandler from '@middy/http-error-handler';
import httpEventNormalizer from '@middy/http-event-normalizer';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
// biome-ignore lint/plugin: measures zod as its documentation imports it.
import { z } from 'zod';
import { findUser } from './find-user.mjs';

const parameters = z.object({ id: z.uuid() });

export const handler = middy()
  .use(httpEventNormalizer())
  .use(httpHeaderNormalizer())
  .use(httpErrorHandler())
  .handler(async ({ pathParameters }) => {
    const user = await findUser(parameters.parse(pathParameters).id);
    const headers = { 'content-type': 'application/json' };
    if (!user) return { statusCode: 404, headers, body: JSON.stringify({ error: 'User not found' }) };
    return { statusCode: 200, headers, body: JSON.stringify(user) };
  });
