import { parseArgs } from 'node:util';
import { onTable } from './database.ts';
import type { Measured } from './streams/report.ts';

const USAGE = `npm run node -- infra/bench/streams.ts [--streams 10000] [--processes 4] [--seconds 30] [--rates 0,1,10,100]
Opens subscriptions to different users at processes of the web function, and measures their memory, CPU time, delays and
reads at each rate of changes a second: 128 streams in one process, then all streams. Checks what each stream receives.
Writes infra/bench/streams.md and the prices of infra/costs.md.

npm run node -- infra/bench/streams.ts --proof [--streams 1000] [--seconds 600] [--rates 100]
Exits with 1 unless each stream of one process gets exactly its changes, in order, with bounded memory and the reads of one poller.`;

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
    proof: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(USAGE);
else if (values.proof) await onTable('streams', prove);
else await onTable('streams', measure);

async function measure(): Promise<void> {
  const { withStreams, withWriting } = await import('./streams/measure.ts');
  const { formatMeasured, writePart } = await import('./streams/report.ts');
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
  writePart('measured', text);
  writePrices();
}

async function prove(): Promise<void> {
  const { withStreams, withWriting } = await import('./streams/measure.ts');
  const { listClaims } = await import('./streams/proof.ts');
  const { formatProof, writePart } = await import('./streams/report.ts');
  const { streams = '1000', seconds = '600', rates = '100' } = values;
  const streamSeconds = Math.floor(Number(seconds) / 2.5);
  const expected = { streams: Number(streams), seconds: Number(seconds), rate: Number(rates), streamSeconds };
  const phase = await withWriting(expected.streams, (writing) =>
    withStreams(writing, { processes: 1, ...expected }, ({ run }) => {
      console.log(`${streams} streams are open. Changing their users for ${seconds} s`);
      return run(expected.rate, expected.seconds);
    }),
  );
  report(phase.violations);
  const claims = listClaims(phase, expected);
  for (const { holds, text } of claims) console.log(`${holds ? 'holds' : 'FAILS'}  ${text}`);
  if (!claims.every(({ holds }) => holds)) process.exitCode = 1;
  else
    writePart(
      'proof',
      formatProof(
        expected.streams,
        phase,
        claims.map(({ text }) => text),
      ),
    );
}

function report(violations: string[]): void {
  for (const violation of violations.slice(0, 10)) console.error(violation);
  if (violations.length > 0) {
    console.error(`${violations.length} violations`);
    process.exitCode = 1;
  }
}
