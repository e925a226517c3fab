import { Hono } from 'hono';
import { handle } from 'hono/aws-lambda';
import { findUser } from './find-user.mjs';

const app = new Hono();

app.get('/v1/users/:id', async (c) => {
  const user = await findUser(c.req.param('id'));
  return user ? c.json(user) : c.json({ error: 'User not found' }, 404);
});

export const handler = handle(app);
