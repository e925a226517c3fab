import { startExample } from './serve.ts';

const { url, stop } = await startExample(3010);
console.log(`The example is at ${url}`);
const end = async () => {
  await stop();
  process.exit(0);
};
process.once('SIGINT', end).once('SIGTERM', end);
