import '../node/require-version.mjs';

const { enableCompileCache } = await import('node:module');
// This halves the time to start, also of processes that this one starts.
process.env.NODE_COMPILE_CACHE ??= 'node_modules/.cache/node-compile-cache';
enableCompileCache(process.env.NODE_COMPILE_CACHE);
await import('./main.ts');
