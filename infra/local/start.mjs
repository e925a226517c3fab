// JavaScript, so that a Node.js that cannot run TypeScript gets to this sentence.
const { node } = process.versions;
if (Number.parseInt(node, 10) >= 24) {
  const { enableCompileCache } = await import('node:module');
  // Half of the time to start; of processes that this one starts, too.
  process.env.NODE_COMPILE_CACHE ??= 'node_modules/.cache/node-compile-cache';
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
  await import('./main.ts');
} else {
  console.error(
    `Not started: this is Node.js ${node}, and Node.js 24 or later is missing: "npm ci" brings one, except with --ignore-scripts, or on a platform without a package of it.`,
  );
  process.exitCode = 1;
}
