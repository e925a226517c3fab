import { defineConfig } from 'vitest/config';
import { limitFunctions } from './test/setup/limit-functions.ts';

// Many test files load modules again: sharing their compiled code saves CPU time.
process.env.NODE_COMPILE_CACHE ??= 'node_modules/.cache/node-compile-cache';
// Each synthesis would validate its template against CloudFormation's schemas, for half a second to five; `cdk synth` and cfn-lint in .ci/run do.
process.env.CDK_VALIDATION = 'false';

/**
 * Test files that need separate modules, by the reason: each loads lib/ again. All others share what their worker has loaded. Packages
 * and process are shared by all, as loading them takes longer than most files.
 */
const isolated = [
  // The declarations of own fields are read when the schemas are loaded.
  'test/**/*own-fields*.test.ts',
  'test/lib/users/fields/*.test.ts',
  'test/{infra/own-fields/sample-values,lib/client/{client,lists,types-command},lib/features/{backfill/{backfill,complete-lists},filters/{cost,entries,lists}},lib/users/claims}.test.ts',
  // The modules of the console read the globals of a browser when they are loaded.
  'test/infra/web/console/**/*.test.ts',
  // The function graphql decides when it is loaded whether its runtime can stream.
  'test/infra/construct/grants.test.ts',
  'test/lib/features/change-log/settings.test.ts',
  'test/lib/features/change-log/sse/{events,interrupted-streams,requests,shared-events}.test.ts',
  'test/lib/graphql/{bad-requests,invalid-documents,nosniff,request-size}.test.ts',
  // Functions read who may call them, and the limits of streams, when they are loaded.
  'test/lib/{auth/*,client/signatures,features/me/*}.test.ts',
  'test/lib/graphql/server/*.test.ts',
  // The AWS SDK reads the address of the database, or of a proxy before it, when its client is created; lib/ the table.
  'test/infra/local/lost-answers.test.ts',
  'test/lib/dynamodb/{deadline,lost-answers,user-agent}.test.ts',
  'test/lib/features/change-log/{restored-table,sse/stream-limit}.test.ts',
  'test/lib/rest/{database-timeout,unreachable}.test.ts',
  // Functions remember the end of the log, and their settings, from when they are loaded.
  'test/lib/features/{change-log/stream-clock,events/{publish,webhook-queue}}.test.ts',
  // They follow the stream of the embedded database, which has records of earlier tables of that name, too.
  'test/infra/local/{change-stream,sample}.test.ts',
  // These replace a module.
  'test/{infra/local/schedule,lib/features/page-index/function}.test.ts',
];

/**
 * What starts the service or its tools as processes, synthesizes stacks, bundles, or tries each moment of a backfill. The others, which `npm run check` runs,
 * need one process and the embedded database; lint keeps them so.
 */
const deployment = [
  'test/**/*.deployment.test.ts',
  'test/infra/construct/**/!(grants|stack).test.ts',
  'test/infra/**/*costs.test.ts',
  'test/simulation/**/*.test.ts',
];

/** The units of DynamoDB Local are not those of DynamoDB. */
const excluded = ['**/node_modules/**', ...(process.env.TEST_DATABASE === 'dynamodb-local' ? ['**/cost.test.ts'] : [])];

export default defineConfig({
  // Node would load graphql's CommonJS build and Vite its ESM build; two copies do not accept each other's schemas and errors.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    silent: 'passed-only',
    // Vitest's default leaves one core idle.
    maxWorkers: '100%',
    // Generous, so that a busy machine fails no test: the time limits of tests and hooks, and of each expect.poll in them.
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
