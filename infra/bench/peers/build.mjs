import { build } from 'esbuild';

const [folder] = process.argv.slice(2);

/** AWS and the compared libraries recommend one minified file for Lambda. */
const options = {
  absWorkingDir: import.meta.dirname,
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node24',
  loader: { '.graphql': 'text' },
  logLevel: 'warning',
};

const bundle = (name, { from = name, extension = 'mjs', ...more }) =>
  build({
    ...options,
    entryPoints: [`handlers/${from}.${from === 'floor' ? 'cjs' : 'mjs'}`],
    outfile: `${folder}/${name}/${name}.${extension}`,
    ...more,
  });

/** Bundled CommonJS packages call `require`. See https://docs.powertools.aws.dev/lambda/typescript */
const esm = {
  format: 'esm',
  mainFields: ['module', 'main'],
  banner: { js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);" },
};
const commonjs = { format: 'cjs', extension: 'cjs' };

await Promise.all([
  bundle('floor', commonjs),
  bundle('bare', esm),
  bundle('bare-commonjs', { ...commonjs, from: 'bare' }),
  bundle('powertools', esm),
  bundle('hono', esm),
  bundle('middy-zod', esm),
  bundle('express', commonjs),
  bundle('apollo', commonjs),
  bundle('yoga', commonjs),
]);
