import { cpSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { AssetOptions } from 'aws-cdk-lib/aws-s3-assets';
import type { FieldDeclarations } from './rules.ts';

const FIELDS_FILE = 'fields.json';

/** The variable names the bundled file, which `readOwnFields` of lib/environment.ts reads. */
export const createFieldVariables = (fields: FieldDeclarations): Record<string, string> =>
  hasFields(fields) ? { FIELDS_FILE } : {};

/** Returns the environment variables with which function code in a local folder finds its own fields. */
export const findFieldVariables = (folder: string): Record<string, string> =>
  existsSync(join(folder, FIELDS_FILE)) ? { FIELDS_FILE, LAMBDA_TASK_ROOT: folder } : {};

const hasFields = (fields: FieldDeclarations) => Object.keys(fields).length > 0;

type Bundles = { bundles: string; fields: FieldDeclarations };

/** Copies the bundle before it adds the fields, because several services can share bundles. */
export function createAsset(name: string, { bundles, fields }: Bundles): { folder: string; options: AssetOptions } {
  const folder = join(bundles, name);
  if (!hasFields(fields)) return { folder, options: {} };
  const tryBundle = (output: string) => {
    cpSync(folder, output, { recursive: true });
    writeFileSync(join(output, FIELDS_FILE), JSON.stringify(fields));
    return true;
  };
  // CDK requires a Docker image, but uses it only if local bundling fails. CDK reuses an asset with equal folder and
  // options, so an unused variable makes the options differ between services.
  const variables = { FIELDS: JSON.stringify(fields) };
  const bundling = { image: DockerImage.fromRegistry('unused'), environment: variables, local: { tryBundle } };
  return { folder, options: { assetHashType: AssetHashType.OUTPUT, bundling } };
}

export function createFunctionCode(name: string, shared: Bundles): Code {
  const { folder, options } = createAsset(name, shared);
  return Code.fromAsset(folder, options);
}
