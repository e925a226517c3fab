import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { grants } from '../../../infra/construct/grants.ts';
import { writeOwnFields } from '../../../infra/own-fields/bundled-file.ts';
import { createApp, FUNCTION_COUNT, folder, synthesize } from '../construct/synth.ts';

const FIELDS = { nickname: { type: 'string', unique: true } } as const;
const names = Object.keys(grants);

const bundles = join(folder, 'with-fields');
for (const name of names) mkdirSync(join(bundles, name), { recursive: true });
const files = names.map((name) => join(bundles, name, 'fields.json'));

test('every function finds the declared fields beside its code', async () => {
  await writeOwnFields(FIELDS, names, bundles);
  for (const file of files) expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(FIELDS);
  const template = Template.fromStack(createApp({ fields: FIELDS }, bundles).stack);
  template.resourcePropertiesCountIs(
    'AWS::Lambda::Function',
    {
      Environment: { Variables: { FIELDS_FILE: 'fields.json' } },
    },
    FUNCTION_COUNT,
  );
});

test('without fields the template and the bundles are those of before, also after a synthesis with fields', async () => {
  await writeOwnFields(FIELDS, names, bundles);
  await writeOwnFields({}, names, bundles);
  expect(files.filter((file) => existsSync(file))).toEqual([]);
  expect(synthesize({ fields: {} }).toJSON()).toEqual(synthesize().toJSON());
  expect(JSON.stringify(synthesize().toJSON())).not.toContain('FIELDS_FILE');
});
