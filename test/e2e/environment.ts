import { devNull } from 'node:os';
import { delimiter, dirname } from 'node:path';

export const REGION = 'us-east-1';
/** Account of the emulator's root credentials. */
export const ACCOUNT = '000000000000';

/** Invalid on AWS, so the e2e test cannot reach a real account. */
export const CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test' };

/** Without AWS and CDK variables, and with this Node.js as `node`. */
export const createCleanEnvironment = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(AWS|CDK)_/.test(name))),
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
  AWS_EC2_METADATA_DISABLED: 'true',
});
