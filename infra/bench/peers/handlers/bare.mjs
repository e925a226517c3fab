import { findUser } from './find-user.mjs';

export const handler = async ({ pathParameters }) => {
  const user = await findUser(pathParameters.id);
  const headers = { 'content-type': 'application/json' };
  if (!user) return { statusCode: 404, headers, body: JSON.stringify({ error: 'User not found' }) };
  return { statusCode: 200, headers, body: JSON.stringify(user) };
};
