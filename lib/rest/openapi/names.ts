import type { OperationName } from '../operations.ts';
import type { ResponseFormat } from '../response-formats.ts';

/** Generators of clients make classes of tags, functions of operation ids, and types of schemas. */
type FormatNames = { tag: string; suffix: string };

const formats: Record<string, FormatNames> = {
  '/v1/users': { tag: 'Users', suffix: '' },
  '/api/users': { tag: 'Users (enveloped)', suffix: 'Enveloped' },
};

function findNames({ path }: ResponseFormat): FormatNames {
  const names = formats[path];
  if (!names) throw new Error(`Name the format of ${path}`);
  return names;
}

export const tagName = (format: ResponseFormat): string => findNames(format).tag;

/** `createUser`, or `createUserEnveloped` */
export const operationId = (name: OperationName, format: ResponseFormat): string =>
  `${name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}${findNames(format).suffix}`;

/** The schemas of what clients send. */
export const bodySchemaNames: Partial<Record<OperationName, string>> = {
  'create-user': 'UserInput',
  'replace-user': 'UserReplacement',
  'update-user': 'UserPatch',
};

/** `User` and `UserList`, or `UserEnvelope` and `UserListEnvelope` */
export const responseSchemaName = (name: OperationName, format: ResponseFormat): string =>
  `${name === 'list-users' ? 'UserList' : 'User'}${findNames(format).suffix && 'Envelope'}`;
