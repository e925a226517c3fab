// Loaded with --require, before the function. Writes the profile on SIGTERM. `startMs`: time before profiling.
const { writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');

const startMs = process.uptime() * 1000;
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.setSamplingInterval', { interval: 100 });
session.post('Profiler.start');

process.once('SIGTERM', () =>
  session.post('Profiler.stop', (_, { profile }) => {
    writeFileSync(process.env.BENCH_PROFILE, JSON.stringify({ ...profile, startMs }));
    process.exit();
  }),
);
