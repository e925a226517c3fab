import { cpSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { AssetOptions } from 'aws-cdk-lib/aws-s3-assets';
import type { FieldDeclarations } from './rules.ts';

const FIELDS_FILE = 'fields.json';

/** The variable with which functions find that file: `readOwnFields` of lib/environment.ts. */
export const createFieldVariables = (fields: FieldDeclarations): Record<string, string> =>
  hasFields(fields) ? { FIELDS_FILE } : {};

/** The variables with which the code of a function finds it in a folder on this machine. */
export const findFieldVariables = (folder: string): Record<string, string> =>
  existsSync(join(folder, FIELDS_FILE)) ? { FIELDS_FILE, LAMBDA_TASK_ROOT: folder } : {};

const hasFields = (fields: FieldDeclarations) => Object.keys(fields).length > 0;

type Bundles = { bundles: string; fields: FieldDeclarations };

/** The bundle of a function with the declared fields beside it: in a copy, as several services can share the bundles. */
export function createAsset(name: string, { bundles, fields }: Bundles): { folder: string; options: AssetOptions } {
  const folder = join(bundles, name);
  if (!hasFields(fields)) return { folder, options: {} };
  const tryBundle = (output: string) => {
    cpSync(folder, output, { recursive: true });
    writeFileSync(join(output, FIELDS_FILE), JSON.stringify(fields));
    return true;
  };
  // CDK asks for an image, but uses it only where the local bundling fails. CDK reuses an asset of the
  // same folder and options, so the variable differs between services with different fields.
  const variables = { FIELDS: JSON.stringify(fields) };
  const bundling = { image: DockerImage.fromRegistry('unused'), environment: variables, local: { tryBundle } };
  return { folder, options: { assetHashType: AssetHashType.OUTPUT, bundling } };
}

export function createFunctionCode(name: string, shared: Bundles): Code {
  const { folder, options } = createAsset(name, shared);
  return Code.fromAsset(folder, options);
}
