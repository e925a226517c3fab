import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import type { InlineConfig } from 'vite';

const ROOT = join(import.meta.dirname, '../..');

/** The domain's validation takes these from Node.js and from `lib/environment.ts`. */
const FOR_BROWSERS = join(import.meta.dirname, 'browser-modules.ts');

/** What the build of the pages and their hot reload in `npm run dev` have in common. `base` is the path below which all files are served. */
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
        // The style of GraphiQL contains 260 kB of fonts. The pages use those of the system.
        { postcssPlugin: 'system-fonts', AtRule: { 'font-face': (rule) => void rule.remove() } },
      ],
    },
  },
});
