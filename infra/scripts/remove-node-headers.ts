import { globSync, rmSync } from 'node:fs';

/** 68 MB of the package that brings Node.js, for compiling add-ons: nothing here has any. */
for (const folder of globSync('node_modules/node-*/include')) rmSync(folder, { recursive: true });
