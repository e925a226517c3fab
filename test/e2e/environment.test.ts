import { devNull } from 'node:os';
import { afterEach, expect, test, vi } from 'vitest';
import { createCleanEnvironment } from './environment.ts';

afterEach(() => vi.unstubAllEnvs());

test('the e2e test gets no variable that leads to a real account', () => {
  const real = ['AWS_PROFILE', 'AWS_SESSION_TOKEN', 'AWS_ENDPOINT_URL_S3', 'AWS_ROLE_ARN', 'CDK_DEFAULT_ACCOUNT'];
  for (const name of real) vi.stubEnv(name, 'production');
  vi.stubEnv('SHELL', '/bin/sh');
  const environment = createCleanEnvironment();
  expect(Object.values(environment)).not.toContain('production');
  expect(environment).toMatchObject({
    SHELL: '/bin/sh',
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_EC2_METADATA_DISABLED: 'true',
  });
});
