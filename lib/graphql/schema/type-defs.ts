import { readFileSync } from 'node:fs';

/** In the Lambda bundle infra/construct/bundling/bundle.ts replaces this module with the text of the file. */
export default readFileSync(new URL('schema.graphql', import.meta.url), 'utf8');
