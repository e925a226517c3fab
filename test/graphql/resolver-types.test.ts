import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generateResolverTypes, RESOLVER_TYPES } from '../../infra/scripts/resolver-types.ts';

test('the resolver types are those of schema.graphql; otherwise run npm run generate', async () => {
  expect(readFileSync(RESOLVER_TYPES, 'utf8')).toBe(await generateResolverTypes());
});
