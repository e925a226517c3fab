import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { addEnvironment } from '../../../infra/construct/stack.ts';
import { readSettings } from '../../../infra/settings/settings.ts';
import { createApp, FUNCTION_COUNT, placeholders, synthesize } from '../construct/synth.ts';

const FIELDS = { nickname: { type: 'string', unique: true } } as const;

type Resources = Record<string, { Type: string; Metadata?: { 'aws:asset:path'?: string } }>;

function listFiles(template: Template, outdir: string): string[] {
  const { Resources } = template.toJSON() as { Resources: Resources };
  const folders = Object.values(Resources).flatMap(({ Type, Metadata }) =>
    Type === 'AWS::Lambda::Function' ? [Metadata?.['aws:asset:path'] ?? ''] : [],
  );
  return [...new Set(folders.map((name) => readFileSync(join(outdir, name, 'fields.json'), 'utf8')))];
}

test('every function is deployed with the declared fields', () => {
  const { stack, outdir } = createApp({ fields: FIELDS });
  const template = Template.fromStack(stack);
  expect(listFiles(template, outdir).map((text) => JSON.parse(text))).toEqual([FIELDS]);
  template.resourcePropertiesCountIs(
    'AWS::Lambda::Function',
    {
      Environment: { Variables: { FIELDS_FILE: 'fields.json' } },
    },
    FUNCTION_COUNT,
  );
});

test('environments with other fields do not share files', () => {
  const { app, stack, outdir } = createApp({ fields: FIELDS });
  const fields = { plan: { type: 'string' } };
  const staging = addEnvironment(app, 'staging', readSettings({ fields }), placeholders);
  const assembly = app.synth();
  const { template } = assembly.getStackArtifact(stack.artifactId);
  expect(listFiles(Template.fromJSON(template), outdir)).toEqual([JSON.stringify(FIELDS)]);
  const stage = assembly.getNestedAssembly('assembly-staging');
  const { template: other } = stage.getStackArtifact(staging.artifactId);
  expect(listFiles(Template.fromJSON(other), stage.directory)).toEqual([JSON.stringify(fields)]);
});

test('without fields, the template does not change', () => {
  expect(synthesize({ fields: {} }).toJSON()).toEqual(synthesize().toJSON());
  expect(JSON.stringify(synthesize().toJSON())).not.toContain('FIELDS_FILE');
});
