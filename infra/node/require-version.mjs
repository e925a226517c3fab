// JavaScript, because older Node.js would report TypeScript as a syntax error.
const { node } = process.versions;
if (Number.parseInt(node, 10) < 24) {
  console.error(
    `Not started: Node.js 24 or later is required, but this is ${node}. Use npm run or npx, as in "npm test -- FILE" or "npx vitest": they use the version that npm ci installs. After npm ci --ignore-scripts, repeat npm ci, or install Node.js 24.`,
  );
  process.exit(1);
}
