import { devNull } from 'node:os';
import { delimiter, dirname } from 'node:path';

export const REGION = 'us-east-1';
/** The emulator's root account. */
export const ACCOUNT = '000000000000';

/** Invalid on AWS, so no real account is reached. */
export const CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test' };

/** Removes variables of AWS and CDK, and makes this Node.js `node`. */
export const createCleanEnvironment = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(AWS|CDK)_/.test(name))),
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
  AWS_EC2_METADATA_DISABLED: 'true',
});
