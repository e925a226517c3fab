// JavaScript, so that a Node.js that cannot run TypeScript gets to this sentence, in place of a stack trace.
const { node } = process.versions;
if (Number.parseInt(node, 10) < 24) {
  console.error(
    `Not started: this is Node.js ${node}, and Node.js 24 or later is missing: "npm ci" brings one, except with --ignore-scripts, or on a platform without a package of it.`,
  );
  process.exit(1);
}
