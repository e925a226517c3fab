import { readFileSync } from 'node:fs';
import { environment } from '../../lib/environment.ts';
import packageJson from '../../package.json' with { type: 'json' };

// Expects declarations of own fields as JSON on standard input, and the environment variables of the functions.

const fields = JSON.parse(readFileSync(0, 'utf8'));
environment.readOwnFields = () => fields;
// Modules of lib/ read the fields on import.
const { openApiDocument } = await import('./document.ts');
process.stdout.write(JSON.stringify(openApiDocument(packageJson.version)));
