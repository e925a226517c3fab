import { defineConfig } from 'vitest/config';

// Many test files load modules again: sharing their compiled code saves CPU time.
process.env.NODE_COMPILE_CACHE ??= 'node_modules/.cache/node-compile-cache';
// Each synthesis would validate its template against CloudFormation's schemas, for half a second to five; `cdk synth` and cfn-lint in .ci/run do.
process.env.CDK_VALIDATION = 'false';

/**
 * Test files that need separate modules: they set variables that modules read when they are loaded, replace modules,
 * fill caches, stream as Lambda does, or need the globals of a browser. All others share those of their worker, as loading
 * and compiling them takes half of a file's time.
 */
const isolated = [
  'test/**/*own-fields*.test.ts',
  'test/**/own-fields/*.test.ts',
  'test/fuzz/**/*.test.ts',
  'test/infra/{local,web}/**/*.test.ts',
  'test/infra/construct/grants.test.ts',
  'test/lib/{auth,dynamodb,features/events}/*.test.ts',
  'test/lib/features/change-log/{restored-table,settings,stream-clock}.test.ts',
  'test/lib/graphql/{bad-requests,internal-errors,invalid-documents,nosniff,request-size}.test.ts',
  'test/lib/features/change-log/sse/{stream-limit,events,requests,interrupted-streams}.test.ts',
  'test/lib/graphql/server/*.test.ts',
  'test/lib/rest/{database-timeout,internal-errors,unreachable}.test.ts',
  'test/lib/{users/claims,features/erasure/erasure,features/page-index/function,features/repair/backfill}.test.ts',
];

/**
 * What starts the service or its tools as processes, synthesizes stacks, or bundles. The others, which `npm run check` runs,
 * need one process and the embedded database; lint keeps them so.
 */
const deployment = [
  'test/**/*.deployment.test.ts',
  'test/infra/construct/**/!(grants|stack).test.ts',
  'test/infra/**/*costs.test.ts',
  'test/simulation/**/*.test.ts',
];

/** The units of DynamoDB Local are not those of DynamoDB. TEST_WITHOUT leaves out more files: `--exclude` does not reach the projects. */
const excluded = [
  '**/node_modules/**',
  ...(process.env.TEST_DATABASE === 'dynamodb-local' ? ['**/cost.test.ts'] : []),
  ...(process.env.TEST_WITHOUT ? [process.env.TEST_WITHOUT] : []),
];

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
        test: {
          name: 'isolated',
          include: isolated,
          exclude: [...deployment, ...excluded],
          globalSetup: 'test/setup/shared-database.ts',
          setupFiles: 'test/setup/table.ts',
        },
      },
      {
        extends: true,
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
