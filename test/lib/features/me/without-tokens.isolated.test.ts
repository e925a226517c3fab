import { expect, test } from 'vitest';
import { createContext } from '../../../../infra/local/runtime.ts';
import { createRestEvent } from '../../../setup/event.ts';

// lib/ reads the fields on import.
process.env.FIELDS_FILE = 'test/setup/person-fields.json';
const { handler } = await import('../../../../functions/get-me.ts');

test('a service without tokens knows no person', async () => {
  expect(await handler(createRestEvent('GET', '/v1/users', {}, '/me'), createContext())).toMatchObject({
    statusCode: 403,
    body: JSON.stringify({ message: 'The request must have a token' }),
  });
});
