// A minimal Lambda runtime, which posts results with their time and CPU time. CommonJS, because an ESM import of
// node:http loads more modules, which would change the measured times.
const { statSync, writeSync } = require('node:fs');
const { performance } = require('node:perf_hooks');
const { Agent, request } = require('node:http');
const { registerHooks } = require('node:module');
const { fileURLToPath } = require('node:url');

const { AWS_LAMBDA_RUNTIME_API, LAMBDA_TASK_ROOT, _HANDLER = '' } = process.env;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

function send(method, path, headers = {}, body = undefined) {
  return new Promise((resolve, reject) => {
    const url = `http://${AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/invocation/${path}`;
    const sent = request(url, { method, agent, headers }, (response) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (part) => (text += part))
        .on('end', () => resolve({ headers: response.headers, text }));
    });
    sent.on('error', reject).end(body);
  });
}

// Counts loaded files only in separate processes (BENCH_COUNTS), because counting would distort the times.
const loaded = { files: 0, bytes: 0 };
if (process.env.BENCH_COUNTS)
  registerHooks({
    load(url, context, nextLoad) {
      if (url.startsWith('file:')) {
        loaded.files += 1;
        loaded.bytes += statSync(fileURLToPath(url)).size;
      }
      return nextLoad(url, context);
    },
  });
const countModules = () => process.moduleLoadList.filter((name) => name.startsWith('NativeModule ')).length;

// Each call of `console` synchronously writes one line, like Lambda's JSON log format.
let requestId;
for (const level of ['debug', 'info', 'warn', 'error'])
  console[level] = (message) =>
    writeSync(
      1,
      `${JSON.stringify({ timestamp: new Date().toISOString(), level: level.toUpperCase(), requestId, message })}\n`,
    );

const createContext = (awsRequestId) => {
  const end = Date.now() + 30_000;
  return { awsRequestId, functionName: 'bench', getRemainingTimeInMillis: () => end - Date.now() };
};

const toMs = ({ user, system }) => (user + system) / 1000;

async function run() {
  const module = await import(`${LAMBDA_TASK_ROOT}/${_HANDLER}`);
  const handler = module.handler ?? module.default.handler;
  const initMs = performance.now();
  for (;;) {
    const { headers, text } = await send('GET', 'next');
    requestId = headers['lambda-runtime-aws-request-id'];
    const event = JSON.parse(text);
    const cpu = process.cpuUsage();
    const start = performance.now();
    const result = await handler(event, createContext(requestId));
    const times = {
      'bench-init-ms': initMs,
      'bench-handler-ms': performance.now() - start,
      'bench-handler-cpu-ms': toMs(process.cpuUsage(cpu)),
      'bench-process-cpu-ms': toMs(process.cpuUsage()),
      'bench-files': loaded.files,
      'bench-bytes': loaded.bytes,
      'bench-modules': process.env.BENCH_COUNTS ? countModules() : 0,
    };
    await send('POST', `${requestId}/response`, times, JSON.stringify(result ?? null));
  }
}

run().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
