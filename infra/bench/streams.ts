import { parseArgs } from 'node:util';
import { onTable } from './database.ts';
import type { Measured } from './streams/report.ts';

const USAGE = `npm run node -- infra/bench/streams.ts [--streams 10000] [--processes 4] [--seconds 30] [--rates 0,1,10,100]
Opens subscriptions to different users at processes of the web function, and measures their memory, CPU time, delays and
reads at each rate of changes a second: 128 streams in one process, then all streams. Checks what each stream receives.
Writes infra/bench/streams.md and the prices of infra/costs.md.`;

/** Lambda's maximum of concurrent requests per environment of a web function. */
const MAX_PER_ENVIRONMENT = 128;
/** A web function ends streams after this time. A measurement is shorter, so no stream ends during it. */
const STREAM_SECONDS = 870;

const { values } = parseArgs({
  options: {
    streams: { type: 'string' },
    processes: { type: 'string', default: '4' },
    seconds: { type: 'string' },
    rates: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(USAGE);
else await onTable('streams', measure);

async function measure(): Promise<void> {
  const { withStreams, withWriting } = await import('./streams/measure.ts');
  const { formatMeasured, writeMeasured } = await import('./streams/report.ts');
  const { writePrices } = await import('./streams/prices.ts');
  const { streams = '10000', processes, seconds = '30', rates = '0,1,10,100' } = values;
  const all: Measured[] = [];
  await withWriting(Math.max(Number(streams), MAX_PER_ENVIRONMENT), async (writing) => {
    for (const size of [
      { processes: 1, streams: MAX_PER_ENVIRONMENT },
      { processes: Number(processes), streams: Number(streams) },
    ]) {
      console.log(`Opening ${size.streams} streams at ${size.processes} processes`);
      await withStreams(writing, { ...size, streamSeconds: STREAM_SECONDS }, async ({ opening, run }) => {
        const measured: Measured = { ...size, opening, phases: [] };
        all.push(measured);
        for (const rate of rates.split(',').map(Number)) {
          console.log(`${rate} changes a second`);
          const phase = await run(rate, Number(seconds));
          measured.phases.push(phase);
          report(phase.violations);
        }
      });
    }
  });
  const text = formatMeasured(all);
  console.log(text);
  writeMeasured(text);
  writePrices();
}

function report(violations: string[]): void {
  for (const violation of violations.slice(0, 10)) console.error(violation);
  if (violations.length > 0) {
    console.error(`${violations.length} violations`);
    process.exitCode = 1;
  }
}
