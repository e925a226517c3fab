import { globSync, rmSync } from 'node:fs';

/** 68 MB of the package `node`, for compiling add-ons: nothing here has any. */
for (const folder of globSync('node_modules/node/node_modules/*/include')) rmSync(folder, { recursive: true });
