import '../node/require-version.mjs';

const { enableCompileCache } = await import('node:module');
// Half of the time to start; of processes that this one starts, too.
process.env.NODE_COMPILE_CACHE ??= 'node_modules/.cache/node-compile-cache';
enableCompileCache(process.env.NODE_COMPILE_CACHE);
await import('./main.ts');
