import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { main } from '../../../lib/client/types-command.ts';
import { type Service, startServiceHere } from '../../setup/service.ts';

// Hoisted: the service reads FIELDS_FILE on import.
vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/own-fields.json';
});

let service: Service;
const folder = mkdtempSync(join('node_modules', '.types-'));
beforeAll(async () => {
  service = await startServiceHere();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await service.stop();
});

async function print(...args: string[]): Promise<string> {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  await main(args);
  const text = write.mock.calls.join('');
  write.mockRestore();
  return text;
}

const describeFields = (plan: string) => `/** The own fields of users. */
export type Fields = {
  /** Shown instead of the name. */
  nickname?: string;
  memberNumber?: string;
  plan?: ${plan};
  age?: number;
  seat?: number;
  score?: number;
  isStaff?: boolean;
  birthday?: string;
  lastSeenAt?: string;
  tags?: Array<string>;
  /** @deprecated Use tags. */
  phone?: string;
};
`;

test('the types of own fields and their enums come from the OpenAPI document', async () => {
  const url = `${service.url}/openapi.json`;
  const types = describeFields('"free" | "pro" | "team"');
  expect(await print(url)).toBe(types);
  const file = join(folder, 'openapi.json');
  writeFileSync(file, await (await fetch(url)).text());
  expect(await print(file)).toBe(types);
});

test('the types from GraphQL lack enums', async () => {
  expect(await print(`${service.url}/graphql`)).toBe(describeFields('string'));
});

test('enums of numbers, lists and single values are types, and a required field is not optional', async () => {
  const properties = {
    id: { type: 'string' },
    level: { enum: [1, 2] },
    roles: { type: 'array', items: { $ref: '#/components/schemas/RolesValue' } },
    kind: { const: 'person', description: 'No */ end.' },
  };
  const schemas = {
    User: { properties },
    UserInput: { properties, required: ['level'] },
    RolesValue: { enum: ['a', 'b'] },
  };
  const file = join(folder, 'document.json');
  writeFileSync(file, JSON.stringify({ openapi: '3.1.0', components: { schemas } }));
  expect(await print(file)).toContain(`
  level: 1 | 2;
  roles?: Array<"a" | "b">;
  /** No *\\/ end. */
  kind?: "person";
`);
});

test('--help and a missing source print the usage', async () => {
  expect(await print('--help')).toContain('user-management-types SOURCE');
  expect(await print('-h')).toContain('openapi.json');
  await expect(main([])).rejects.toThrow('user-management-types SOURCE');
});

test('an error names the source and the cause', async () => {
  const file = join(folder, 'other.json');
  writeFileSync(file, '{}');
  await expect(main([file])).rejects.toThrow(`${file}: it is not the OpenAPI document of a User Management Service`);
  await expect(main([`${service.url}/nothing.json`])).rejects.toThrow('nothing.json: the answer has the status 404');
  await expect(main([service.url])).rejects.toThrow(
    `Cannot read the own fields from ${service.url}: The answer is not from the service`,
  );
  await expect(main(['missing.json'])).rejects.toThrow('Cannot read the own fields from missing.json: ENOENT');
});
