import type { Conditions } from '../../users/read.ts';
import type { User } from '../../users/user.ts';
import type { RestOperation } from '../operation.ts';
import { readId, readIfMatch, readInclude, renderUnlessCurrent } from '../requests.ts';
import { type RenderOptions, renderUser } from '../responses.ts';

type Request = Conditions & RenderOptions & { id: string; ifNoneMatch?: string | undefined };

export const getUserOperation = {
  method: 'GET',
  path: '/{id}',
  status: 200,
  right: 'read',
  grant: { table: ['GetItem'] },
  rendersTimes: true,
  requestHeaders: ['If-Match', 'If-None-Match', 'If-Unmodified-Since'],
  read: (event) => ({
    id: readId(event),
    include: readInclude(event),
    ...readIfMatch(event),
    ifNoneMatch: event.headers['if-none-match'],
  }),
  render: (user, { ifNoneMatch, include }, format) =>
    renderUnlessCurrent(renderUser(user, format, { include }), ifNoneMatch),
} as const satisfies RestOperation<Request, User>;
