import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Node takes the CommonJS build and Vite the ESM one; with both loaded, no error or schema of one is known to the other.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/setup/database.ts',
    setupFiles: 'test/setup/table.ts',
    silent: 'passed-only',
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
