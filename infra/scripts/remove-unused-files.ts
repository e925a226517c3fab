import { globSync, rmSync } from 'node:fs';

/** A quarter of what is installed, and nothing here reads it. */
const UNUSED = [
  // Headers of Node.js, for compiling add-ons.
  'infra/node/node_modules/*/include',
  // The CDK's interface for other languages.
  'node_modules/**/.jsii*',
  'node_modules/**/*.{js,mjs,cjs,css,ts,mts,cts}.map',
];
for (const path of globSync(UNUSED)) rmSync(path, { recursive: true });
