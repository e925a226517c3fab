import './infra/node/require-version.mjs';
import { defineConfig } from 'vitest/config';
import { limitFunctions } from './test/setup/limit-functions.ts';

// Test files load modules repeatedly; sharing compiled code saves CPU time.
process.env.NODE_COMPILE_CACHE ??= 'node_modules/.cache/node-compile-cache';
// CDK's validation takes 0.5 to 5 s per template. `cdk synth` and cfn-lint in .ci/run validate templates instead.
process.env.CDK_VALIDATION = 'false';
// Streams of tests need not wait for a second.
process.env.POLL_INTERVAL_MS ??= '50';

/** Test files with separate modules: lib/ reads settings on import, or a test replaces a module. */
const isolated = 'test/**/*.isolated.test.ts';

/** Each worker loads CDK once. */
const construct = 'test/infra/construct/*.test.ts';

/** Tests that start processes, bundle, measure costs, or try each moment of a job. Lint forbids services and CDK in all others. */
const deployment = [
  'test/**/*.deployment.test.ts',
  'test/infra/**/*costs.test.ts',
  'test/lib/**/cost{,.isolated}.test.ts',
  'test/simulation/**/*.test.ts',
];

/** Needs a service that declares the own fields. */
const ownFieldsContract = 'test/contract/own-fields.contract.ts';

/** The units of DynamoDB Local differ from DynamoDB's. */
const excluded = ['**/node_modules/**', ...(process.env.TEST_DATABASE === 'dynamodb-local' ? ['**/cost.test.ts'] : [])];

/** In ms. `.ci/run` allows more. */
const timeLimit = 1_000 * Number(process.env.TEST_TIME_LIMIT_SECONDS ?? 60);

export default defineConfig({
  // Node.js would load graphql's CommonJS build and Vite its ESM build, which reject each other's schemas and errors.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    silent: 'passed-only',
    // Vitest's default leaves one core idle.
    maxWorkers: '100%',
    testTimeout: timeLimit,
    hookTimeout: timeLimit,
    expect: { poll: { timeout: 0.8 * timeLimit, interval: 50 } },
    projects: [
      {
        extends: true,
        plugins: [limitFunctions],
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: [isolated, construct, ...deployment, ...excluded],
          isolate: false,
          globalSetup: 'test/setup/shared-database.ts',
          setupFiles: ['test/setup/table.ts', 'test/setup/seed.ts'],
        },
      },
      {
        extends: true,
        plugins: [limitFunctions],
        test: {
          name: 'isolated',
          include: [isolated],
          exclude: [...deployment, ...excluded],
          isolate: false,
          globalSetup: 'test/setup/shared-database.ts',
          setupFiles: ['test/setup/table.ts', 'test/setup/seed.ts', 'test/setup/separate-modules.ts'],
        },
      },
      {
        extends: true,
        plugins: [limitFunctions],
        test: {
          name: 'deployment',
          include: deployment,
          exclude: excluded,
          globalSetup: 'test/setup/shared-database.ts',
          setupFiles: ['test/setup/table.ts', 'test/setup/seed.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'construct',
          include: [construct],
          exclude: [isolated, 'test/infra/construct/*.deployment.test.ts'],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'contract',
          include: ['test/contract/*.contract.ts'],
          exclude: [ownFieldsContract],
          globalSetup: 'test/contract/target.ts',
          setupFiles: 'test/contract/cleanup.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'own-fields-contract',
          include: [ownFieldsContract],
          globalSetup: 'test/contract/own-fields-target.ts',
          setupFiles: 'test/contract/cleanup.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'web-function-contract',
          include: ['test/contract/{graphql,subscriptions,lists}.contract.ts'],
          globalSetup: 'test/contract/web-function-target.ts',
          setupFiles: 'test/contract/cleanup.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['test/browser/*.browser.ts'],
        },
      },
    ],
  },
});
