import * as z from 'zod';
import { settings } from './settings.ts';

type JsonSchema = Record<string, unknown>;

/**
 * The JSON Schema of cdk.json, with which editors complete and check its settings. It is written to cdk.schema.json:
 * npm test -- test/infra/settings.test.ts --update
 */
export function createCdkSchema(): JsonSchema {
  // The others are for settings.md, the construct and the functions.
  const override = ({ jsonSchema }: { jsonSchema: JsonSchema }) => {
    for (const name of ['effect', 'prop', 'variable']) delete jsonSchema[name];
  };
  const { $schema, properties } = z.toJSONSchema(settings, { target: 'draft-7', override });
  const forms = Object.entries(properties as Record<string, JsonSchema>).map(([name, schema]) => [
    name,
    describeForms(schema),
  ]);
  return {
    $schema,
    title: 'Settings of the User Management Service',
    type: 'object',
    properties: {
      context: {
        type: 'object',
        properties: Object.fromEntries(forms),
        // Comments and the keys of CDK contain such characters.
        patternProperties: { '\\W': {} },
        additionalProperties: false,
      },
    },
  };
}

/** Adds to the schema of a value how else cdk.json may have it: on and off, or an empty text for a setting that is not set. */
function describeForms({ description, default: preset, type, ...schema }: JsonSchema): JsonSchema {
  if (type === 'boolean') return { description, default: preset, enum: [true, false, 'on', 'off'] };
  if (preset === undefined) return { description, anyOf: [{ type, ...schema }, { const: '' }] };
  return { description, default: preset, type, ...schema };
}
