import { NotFoundError, Router } from '@aws-lambda-powertools/event-handler/http';
import { findUser } from './find-user.mjs';

const app = new Router();

app.get('/v1/users/:id', async ({ params }) => {
  const user = await findUser(params.id);
  if (!user) throw new NotFoundError('User not found');
  return user;
});

export const handler = async (event, context) => app.resolve(event, context);
