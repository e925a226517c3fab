import { writeFileSync } from 'node:fs';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { schema } from '../../lib/graphql/schema/schema.ts';
import { publishTypes } from '../own-fields/published.ts';
import { listEnvironments, readEnvironment } from '../settings/environment.ts';
import { SettingError } from '../settings/settings.ts';

const SCHEMA_FILE = 'lib/graphql/schema/published.graphql';

// A release runs this script. Later, a test rejects breaking changes to the schema, and synthesis rejects another type
// of a field.
try {
  for (const environment of listEnvironments()) {
    const file = publishTypes(readEnvironment(environment).fields);
    console.log(`Wrote ${file}: the fields of the environment ${environment.name}`);
  }
  writeFileSync(SCHEMA_FILE, `${printSchema(lexicographicSortSchema(schema))}\n`);
  console.log(`Wrote ${SCHEMA_FILE}`);
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
