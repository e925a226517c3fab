import { responseFormats } from '../response-formats.ts';
import { ref } from './components.ts';
import { examples, exampleUser } from './examples.ts';
import { responseSchemaName } from './names.ts';

/** The schemas of a user and of a list, as each format renders them. A user without an envelope is `User`. */
export const responseSchemas: Record<string, object> = Object.fromEntries(
  responseFormats.flatMap((format) =>
    (['get-user', 'list-users'] as const)
      .map((name) => [responseSchemaName(name, format), inferSchema(examples[name](format).body)] as const)
      .filter(([name]) => name !== 'User'),
  ),
);

/** Infers the schema of a response body from an example: users, numbers, and arrays and objects of them. */
function inferSchema(body: unknown): object {
  if (Array.isArray(body)) return { type: 'array', items: inferSchema(body[0]) };
  if (typeof body === 'number') return { type: 'integer', minimum: 0 };
  const members = Object.entries(Object(body));
  if (members.some(([, member]) => member === exampleUser.id)) return ref('schemas', 'User');
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, member]) => [name, inferSchema(member)])),
    required: members.map(([name]) => name),
    additionalProperties: false,
  };
}
