import type * as z from 'zod/mini';
import { decodeVerifiedClaims } from '../../auth/caller.ts';
import { environment } from '../../environment.ts';
import { forbidden, type ServiceError } from '../../errors.ts';
import { parseInput, parseJsonBody } from '../../input/parsing.ts';
import type { Event } from '../../rest/operation.ts';
import { formatEtag, type Method } from '../../rest/requests.ts';
import type { ResponseFormat } from '../../rest/responses.ts';
import type { User } from '../../users/user.ts';
import { visibleFields, writableFields } from './fields.ts';
import { type Person, parsePerson } from './person.ts';
import { showMe, showOwn } from './read.ts';

const PATH_METHODS: readonly Method[] = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'];

type Tagged = { id: string; version: number; own: Readonly<Record<string, unknown>> };

export const ownRecord = {
  path: '/me',
  right: 'self',
  pathMethods: PATH_METHODS,
  isTurnedOff: (method: string) => method === 'DELETE' && environment.selfDelete === 'off',
  isPrivate: true,
  describeError: ({ current }: ServiceError) => ({ etag: current && formatMeTag(current) }),
} as const;

/** Contains the id, so that the tag changes when a record is deleted and created again. */
export const formatMeTag = ({ id, version, own }: Tagged): string => formatEtag({ version, own: showOwn(own) }, id);

/** Reads the person from the token, which the gateway has verified. */
export function parseCallingPerson({ headers }: Event): Person {
  if (headers.authorization === undefined) throw forbidden('The request must have a token');
  return parsePerson(decodeVerifiedClaims(headers.authorization));
}

/** Members that GET shows and no body may contain. Hidden fields are unknown instead, so that no message reveals them. */
const readOnly = ['id', ...visibleFields.filter((field) => !writableFields.includes(field)).map(({ name }) => name)];

/** Throws BAD_USER_INPUT. */
export const parseBody = <Schema extends z.ZodMiniType>(schema: Schema, event: Event): z.output<Schema> =>
  parseInput(schema, parseJsonBody(event), (name) => (readOnly.includes(name) ? 'cannot be changed here' : undefined));

export const renderMe = (user: User, format: ResponseFormat) => ({
  body: format.renderRecord(showMe(user)),
  headers: { etag: formatMeTag(user), lastModified: user.updatedAt },
});
