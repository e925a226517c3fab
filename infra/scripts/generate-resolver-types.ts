import { writeFileSync } from 'node:fs';
import { generateResolverTypes, RESOLVER_TYPES } from './resolver-types.ts';

writeFileSync(RESOLVER_TYPES, await generateResolverTypes());
