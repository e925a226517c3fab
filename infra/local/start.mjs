// JavaScript, so that a Node.js that cannot run TypeScript gets to this sentence.
if (process.features.typescript) {
  const { enableCompileCache } = await import('node:module');
  // Half of the time to start; of processes that this one starts, too.
  process.env.NODE_COMPILE_CACHE ??= 'node_modules/.cache/node-compile-cache';
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
  await import('./main.ts');
} else {
  console.error(
    `Not started: Node.js ${process.versions.node} cannot run TypeScript, and Node.js 24 is missing in node_modules: run "npm rebuild node", as "npm ci" does without --ignore-scripts.`,
  );
  process.exitCode = 1;
}
