import { writeFileSync } from 'node:fs';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { schema } from '../../lib/graphql/schema/schema.ts';

// At a release: from now on clients rely on what the schema offers today.
const file = 'lib/graphql/schema/published.graphql';
writeFileSync(file, `${printSchema(lexicographicSortSchema(schema))}\n`);
console.log(`${file} now is the schema that clients rely on`);
