import { devNull } from 'node:os';
import { delimiter, dirname } from 'node:path';

export const REGION = 'us-east-1';
/** The account that the emulator takes any caller of its root credentials for. */
export const ACCOUNT = '000000000000';

/** Nobody's, so that nothing of the e2e test can reach a real account. */
export const CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test' };

/**
 * This process's environment without what the caller set for AWS or CDK (profiles, credentials, endpoints, regions),
 * and with this very Node as `node`.
 */
export const withoutAws = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(AWS|CDK)_/.test(name))),
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
  AWS_EC2_METADATA_DISABLED: 'true',
});
