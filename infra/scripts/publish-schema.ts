import { readFileSync, writeFileSync } from 'node:fs';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { schema } from '../../lib/graphql/schema/schema.ts';
import { publishTypes } from '../published-fields.ts';
import { readSettings } from '../settings.ts';

// Run at a release. From then on, clients rely on this schema, and a test rejects breaking changes to it.
const file = 'lib/graphql/schema/published.graphql';
writeFileSync(file, `${printSchema(lexicographicSortSchema(schema))}\n`);
console.log(`Wrote ${file}`);

// The synthesis rejects another type of a field whose values may be stored.
const { fields } = readSettings(JSON.parse(readFileSync('cdk.json', 'utf8')).context);
console.log(`Wrote ${publishTypes(fields)}`);
