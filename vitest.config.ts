import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Node takes the CommonJS build and Vite the ESM one; with both loaded, no error or schema of one is known to the other.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    silent: 'passed-only',
    testTimeout: 20_000,
    hookTimeout: 20_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          globalSetup: 'test/setup/database.ts',
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
    ],
  },
});
