import { writeFileSync } from 'node:fs';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { schema } from '../../lib/graphql/schema/schema.ts';

// Run at a release. From then on, clients rely on this schema, and a test rejects breaking changes to it.
const file = 'lib/graphql/schema/published.graphql';
writeFileSync(file, `${printSchema(lexicographicSortSchema(schema))}\n`);
console.log(`Wrote ${file}`);
