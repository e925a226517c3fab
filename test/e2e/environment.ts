import { devNull } from 'node:os';
import { delimiter, dirname } from 'node:path';

export const REGION = 'us-east-1';
/** The account of the emulator's root credentials. */
export const ACCOUNT = '000000000000';

/** Invalid on AWS, so that the e2e test cannot reach a real account. */
export const CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test' };

/**
 * The environment of this process without settings for AWS or CDK (profiles, credentials, endpoints, regions), and with
 * this Node as `node`.
 */
export const createCleanEnvironment = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(AWS|CDK)_/.test(name))),
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
  AWS_EC2_METADATA_DISABLED: 'true',
});
