import express from 'express';
import serverless from 'serverless-http';
import { findUser } from './find-user.mjs';

const app = express();

app.get('/v1/users/:id', async (request, response) => {
  const user = await findUser(request.params.id);
  if (user) response.json(user);
  else response.status(404).json({ error: 'User not found' });
});

export const handler = serverless(app);
