import { defineConfig } from 'vitest/config';
import { limitFunctions } from './test/setup/limit-functions.ts';

// Test files load modules repeatedly; sharing compiled code saves CPU time.
process.env.NODE_COMPILE_CACHE ??= 'node_modules/.cache/node-compile-cache';
// Validating each template against CloudFormation's schemas takes half a second to five. `cdk synth` and cfn-lint in .ci/run do it.
process.env.CDK_VALIDATION = 'false';

/**
 * Test files with separate modules, by reason. Each loads lib/ again. All others share their worker's modules. All files share packages and
 * process, which load slowly.
 */
const isolated = [
  // Schemas read the declarations of own fields on import.
  'test/**/*own-fields*.test.ts',
  'test/lib/users/fields/*.test.ts',
  'test/{infra/own-fields/sample-values,lib/client/{client,lists,types-command},lib/features/{backfill/{backfill,complete-lists},filters/{cost,entries,lists}},lib/users/claims}.test.ts',
  // The console's modules read browser globals on import.
  'test/infra/web/console/**/*.test.ts',
  // graphql detects on import whether its runtime can stream.
  'test/infra/construct/grants.test.ts',
  'test/lib/features/change-log/settings.test.ts',
  'test/lib/features/change-log/sse/{events,interrupted-streams,requests,shared-events}.test.ts',
  'test/lib/graphql/{bad-requests,invalid-documents,nosniff,request-size}.test.ts',
  // Functions read callers' rights and stream limits on import.
  'test/lib/{auth/*,client/signatures,features/me/*}.test.ts',
  'test/lib/graphql/server/*.test.ts',
  // The AWS SDK reads the address of the database, or of a proxy, when its client is created; lib/ reads the table.
  'test/infra/local/lost-answers.test.ts',
  'test/lib/dynamodb/{deadline,lost-answers,user-agent}.test.ts',
  'test/lib/features/change-log/{restored-table,sse/stream-limit}.test.ts',
  'test/lib/rest/{database-timeout,unreachable}.test.ts',
  // Functions remember the end of the log and their settings from import.
  'test/lib/features/{change-log/stream-clock,events/{publish,webhook-queue}}.test.ts',
  // Follow the stream of the embedded database, which also has records of earlier tables with that name.
  'test/infra/local/{change-stream,sample}.test.ts',
  // These replace a module.
  'test/{infra/local/schedule,lib/features/page-index/function}.test.ts',
];

/**
 * Tests that start processes, synthesize stacks, bundle, or try each moment of a backfill. `npm run check` runs all others, which need one
 * process and the embedded database; lint enforces this.
 */
const deployment = [
  'test/**/*.deployment.test.ts',
  'test/infra/construct/**/!(grants|stack).test.ts',
  'test/infra/**/*costs.test.ts',
  'test/simulation/**/*.test.ts',
];

/** The units of DynamoDB Local differ from DynamoDB's. */
const excluded = ['**/node_modules/**', ...(process.env.TEST_DATABASE === 'dynamodb-local' ? ['**/cost.test.ts'] : [])];

export default defineConfig({
  // Node.js would load graphql's CommonJS build and Vite its ESM build, which reject each other's schemas and errors.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    silent: 'passed-only',
    // Vitest's default leaves one core idle.
    maxWorkers: '100%',
    // Generous, for busy machines: limits of tests, hooks and each expect.poll.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 240_000, interval: 50 } },
    projects: [
      {
        extends: true,
        plugins: [limitFunctions],
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: [...isolated, ...deployment, ...excluded],
          isolate: false,
          globalSetup: 'test/setup/shared-database.ts',
          setupFiles: 'test/setup/table.ts',
        },
      },
      {
        extends: true,
        plugins: [limitFunctions],
        test: {
          name: 'isolated',
          include: isolated,
          exclude: [...deployment, ...excluded],
          isolate: false,
          globalSetup: 'test/setup/shared-database.ts',
          setupFiles: ['test/setup/table.ts', 'test/setup/separate-modules.ts'],
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
          setupFiles: 'test/setup/table.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'contract',
          include: ['test/contract/*.contract.ts'],
          globalSetup: 'test/contract/target.ts',
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
