import { readFileSync } from 'node:fs';
import { buildSchema, Kind, lexicographicSortSchema, parse, printSchema } from 'graphql';
import { expect, test } from 'vitest';
import { openApiDocument } from '../../../../infra/openapi/document.ts';
import { addMemberships } from '../../../../infra/own-fields/memberships.ts';
import { readLocalSettings } from '../../../../infra/settings/settings.ts';
import { definitions, schema } from '../../../../lib/graphql/schema/schema.ts';

const print = (each: typeof schema) => printSchema(lexicographicSortSchema(each));

test('without the setting, functions get the own fields as they are declared', () => {
  const fields = { plan: { type: 'string' } } as const;
  for (const settings of [{}, { groups: 'off' }])
    expect(addMemberships(fields, readLocalSettings(settings))).toBe(fields);
  expect(addMemberships(fields, readLocalSettings({ groups: 'on' }))).toHaveProperty('groups');
});

test('without the setting, the GraphQL schema is the published one, which has no groups', () => {
  expect(print(schema)).toBe(print(buildSchema(readFileSync('lib/graphql/schema/published.graphql', 'utf8'))));
  const types = parse(readFileSync('lib/features/groups/schema.graphql', 'utf8')).definitions.flatMap((each) =>
    each.kind === Kind.OBJECT_TYPE_DEFINITION || each.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION ? each.name.value : [],
  );
  expect(types.length).toBeGreaterThan(10);
  const defined = definitions.definitions.flatMap((each) => ('name' in each && each.name ? each.name.value : []));
  expect(types.filter((name) => defined.includes(name))).toEqual([]);
  expect(schema.getType('MembershipInput')).toBeUndefined();
});

test('without the setting, the OpenAPI document has no memberships, and no parameters of groups', () => {
  const document = JSON.stringify(openApiDocument('1.2.3'));
  expect(document).toContain('"name":"q"');
  expect(document).not.toMatch(/"groups":|"name":"(group|role)"/);
});
