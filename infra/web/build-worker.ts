import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { build, type Rolldown } from 'vite';
import type { Build, Files, PageName } from './build.ts';
import { createViteConfig } from './vite-config.ts';

const ROOT = join(import.meta.dirname, '../..');

/** A separate script, which browsers run before the first paint. */
const COLOR_SCHEME = 'infra/web/public/color-scheme.js';

const COMMON_INPUTS = [
  'package-lock.json',
  'tsconfig.json',
  'infra/web/tsconfig.json',
  'infra/web/build.ts',
  'infra/web/build-worker.ts',
  'infra/web/vite-config.ts',
  COLOR_SCHEME,
];

/**
 * The comment makes Chromium compile all functions on another thread, and so halves the time that the first view of the
 * console is blocked: https://v8.dev/blog/explicit-compile-hints
 */
const COMPILE_AT_ONCE = '//# allFunctionsCalledOnLoad';

/** Files of the console's first view. Browsers keep the libraries cached when only our code changes. */
const FIRST_VIEW: Rolldown.CodeSplittingGroup[] = [
  {
    name: 'libraries',
    tags: ['$initial'],
    test: /node_modules\/(react|react-dom|scheduler|@mantine|@tanstack)\//,
    priority: 1,
  },
  { name: 'first-view', tags: ['$initial'] },
];

parentPort?.postMessage(await buildPage(workerData as PageName));

async function buildPage(page: PageName): Promise<Build> {
  const config = createViteConfig(`/pages/${page}/`);
  const ids = new Set<string>();
  const listModules: Rolldown.Plugin = {
    name: 'list-modules',
    generateBundle() {
      for (const id of this.getModuleIds()) ids.add(id.replace(/\?.*/, ''));
    },
  };
  const { output } = (await build({
    ...config,
    plugins: [...(config.plugins ?? []), listModules],
    build: {
      write: false,
      // For older versions, Vite compiles light-dark() to code that ignores the chosen color scheme.
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      modulePreload: { polyfill: false },
      rolldownOptions: {
        // Reads only the used modules of packages that re-export many, such as icons.
        experimental: { lazyBarrel: true },
        input: join(import.meta.dirname, page, 'index.html'),
        output: { postBanner: COMPILE_AT_ONCE, codeSplitting: { groups: page === 'console' ? FIRST_VIEW : [] } },
      },
    },
  })) as Rolldown.RolldownOutput;
  const files: Files = new Map([['color-scheme.js', await readFile(join(ROOT, COLOR_SCHEME))]]);
  for (const file of output) files.set(file.fileName.replace(`${page}/`, ''), readOutput(file));
  const modules = [...ids].filter((id) => id.startsWith(ROOT)).map((id) => relative(ROOT, id));
  const sources = modules.filter((path) => !path.includes('node_modules/'));
  const chunks = output.filter((file) => file.type === 'chunk');
  return {
    files,
    inputs: [...COMMON_INPUTS, ...sources],
    modules,
    chunks: chunks.map(({ fileName, imports, moduleIds }) => ({ fileName, imports, moduleIds })),
  };
}

function readOutput(file: Rolldown.OutputChunk | Rolldown.OutputAsset): Uint8Array {
  const content = file.type === 'chunk' ? file.code : file.source;
  return typeof content === 'string' ? new TextEncoder().encode(content) : content;
}
