import type { Conditions } from '../../users/read.ts';
import type { User } from '../../users/user.ts';
import type { RestOperation } from '../operation.ts';
import { readId, readIfMatch, renderUnlessCurrent } from '../requests.ts';
import { renderUser } from '../responses.ts';

type Request = Conditions & { id: string; ifNoneMatch?: string | undefined };

export const getUserOperation = {
  method: 'GET',
  path: '/{id}',
  status: 200,
  right: 'read',
  grant: { table: ['GetItem'] },
  requestHeaders: ['If-Match', 'If-None-Match', 'If-Unmodified-Since'],
  read: (event) => ({ id: readId(event), ...readIfMatch(event), ifNoneMatch: event.headers['if-none-match'] }),
  render: (user, { ifNoneMatch }, format) => renderUnlessCurrent(renderUser(user, format), ifNoneMatch),
} as const satisfies RestOperation<Request, User>;
