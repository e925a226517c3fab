import { decodeVerifiedClaims } from '../../auth/caller.ts';
import { environment } from '../../environment.ts';
import { forbidden, invalidInput } from '../../errors.ts';
import type { Event, Rendered } from '../../rest/operation.ts';
import { MAX_TAGS, type Method, parseEntityTags } from '../../rest/requests.ts';
import type { ResponseFormat } from '../../rest/responses.ts';
import type { User } from '../../users/user.ts';
import { type Person, parsePerson } from './person.ts';
import { type MeConditions, type MeTags, showMe } from './read.ts';

const PATH_METHODS: readonly Method[] = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'];

export const ownRecord = {
  path: '/me',
  right: 'self',
  pathMethods: PATH_METHODS,
  isTurnedOff: (method: string) => method === 'DELETE' && environment.selfDelete === 'off',
  isPrivate: true,
  // Omits the entity tag of errors: it has the format for users, which conditions of own records do not accept.
  describeError: () => ({ etag: undefined }),
} as const;

/** Reads the person from the token, which the gateway has verified. */
export function parseCallingPerson({ headers }: Event): Person {
  if (headers.authorization === undefined) throw forbidden('The request must have a token');
  return parsePerson(decodeVerifiedClaims(headers.authorization));
}

export const renderMe = (user: User, format: ResponseFormat): Rendered => ({
  body: format.renderRecord(showMe(user)),
  headers: { etag: formatMeTag(user) },
});

/** Contains the id, so that the tag changes when a record is deleted and created again. */
export const formatMeTag = ({ id, version }: Pick<User, 'id' | 'version'>): string => `"${id}.${version}"`;

const OPAQUE = /^(?<id>[0-9a-f-]{36})\.(?<version>[1-9]\d{0,14})$/;

/**
 * Tags of another format match no record. If-Match compares strongly (RFC 9110 section 13.1.1), If-None-Match weakly.
 */
export function parseTags(name: 'If-Match' | 'If-None-Match', headers: Headers): MeTags | undefined {
  const header = headers[name.toLowerCase()];
  if (header === undefined) return undefined;
  if (header.trim() === '*') return '*';
  const tags = parseEntityTags(name, header);
  if (tags.length > MAX_TAGS) throw invalidInput([name], `may list at most ${MAX_TAGS} entity tags`);
  const isStrong = name === 'If-Match';
  return tags.flatMap(({ weak, opaque }) => {
    const { id, version } = OPAQUE.exec(opaque)?.groups ?? {};
    return id && version && !(weak && isStrong) ? [{ id, version: Number(version) }] : [];
  });
}

type Headers = Record<string, string | undefined>;

export const parseMeConditions = (headers: Headers): MeConditions => ({
  ifMatch: parseTags('If-Match', headers),
  ifNoneMatch: parseTags('If-None-Match', headers),
});
