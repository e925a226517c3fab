import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import type { InlineConfig } from 'vite';

const ROOT = join(import.meta.dirname, '../..');

/** Replaces Node.js modules and `lib/environment.ts` in validation code that pages share with the service. */
const FOR_BROWSERS = join(import.meta.dirname, 'browser-modules.ts');

/** Configuration of the page build, and of the hot reload of `npm run dev`. `base` is the path prefix of all files. */
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
        // Removes fonts: GraphiQL's style sheet contains 260 kB. The pages use system fonts.
        { postcssPlugin: 'system-fonts', AtRule: { 'font-face': (rule) => void rule.remove() } },
      ],
    },
  },
});
