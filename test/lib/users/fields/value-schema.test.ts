import { expect, test } from 'vitest';
import { toJsonSchema } from '../../../../infra/openapi/components.ts';
import { valueSchema } from '../../../../lib/users/fields/value-schema.ts';

test('each time has its own description, and the format date-time', () => {
  const schemas = ['First seen', 'Last seen'].map((description) => valueSchema({ type: 'dateTime', description }));
  expect(schemas.map(toJsonSchema)).toMatchObject([
    { type: 'string', format: 'date-time', description: 'First seen' },
    { type: 'string', format: 'date-time', description: 'Last seen' },
  ]);
});
