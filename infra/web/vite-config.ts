import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import type { InlineConfig } from 'vite';

const ROOT = join(import.meta.dirname, '../..');

const FOR_BROWSERS = join(import.meta.dirname, 'browser-modules.ts');

/** `base` is the path prefix of all files. */
export const createViteConfig = (base: string): InlineConfig => ({
  configFile: false,
  root: import.meta.dirname,
  base,
  cacheDir: join(ROOT, 'node_modules/.cache/vite'),
  appType: 'mpa',
  logLevel: 'error',
  plugins: [react()],
  resolve: { alias: [{ find: /^(node:(url|buffer)|.*\/environment\.ts)$/, replacement: FOR_BROWSERS }] },
  css: {
    postcss: {
      plugins: [
        // Removes 260 kB of fonts in GraphiQL's style sheet.
        { postcssPlugin: 'system-fonts', AtRule: { 'font-face': (rule) => void rule.remove() } },
      ],
    },
  },
});
