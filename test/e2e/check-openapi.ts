import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { run, WORK_DIR } from './run.ts';
import { runSteps, step } from './step.ts';

// The document with own fields includes everything in the document without them.
process.env.FIELDS_FILE = 'test/setup/own-fields.json';
const { openApiDocument } = await import('../../infra/openapi/document.ts');

const LINTERS = join(import.meta.dirname, 'openapi-linters');
const COMMANDS = join(LINTERS, 'node_modules/.bin');
const DOCUMENT = join(WORK_DIR, 'openapi.json');
const SILENT = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

await runSteps('the OpenAPI document', async () => {
  await mkdir(WORK_DIR, { recursive: true });
  await writeFile(DOCUMENT, JSON.stringify(openApiDocument(packageJson.version)));
  await step('install the pinned Spectral and Redocly', () =>
    run('npm', ['ci', '--ignore-scripts', '--prefix', LINTERS]),
  );
  await step('Spectral has no hints', () =>
    run(join(COMMANDS, 'spectral'), [
      'lint',
      DOCUMENT,
      '--ruleset',
      join(LINTERS, 'spectral.yaml'),
      '--fail-severity',
      'hint',
    ]),
  );
  await step('Redocly has no warnings', () =>
    run(join(COMMANDS, 'redocly'), ['lint', DOCUMENT, '--extends', 'recommended-strict'], SILENT),
  );
});
