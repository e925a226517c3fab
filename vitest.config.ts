import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/setup/database.ts',
    setupFiles: 'test/setup/table.ts',
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
