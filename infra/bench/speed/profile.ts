import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Candidate } from './candidates.ts';
import { startLambda } from './lambda.ts';
import { type Summary, summarize } from './statistics.ts';

/** Milliseconds of each part of a cold start, until the first response. */
export type Breakdown = { candidate: Candidate; parts: Record<Part, Summary> };

export const PARTS = [
  'Node.js before the function',
  'Node.js in it',
  'compiling the bundle',
  'its top level',
  'AWS SDK',
  'GraphQL and Apollo',
  'zod',
  'other packages',
  'the service',
  'garbage collection',
] as const;
type Part = (typeof PARTS)[number];

const PROFILER = join(import.meta.dirname, 'profiler.cjs');

export async function measureBreakdowns(
  candidates: Candidate[],
  database: string,
  { rounds, progress }: { rounds: number; progress: (done: number) => void },
): Promise<Breakdown[]> {
  const measured = candidates.map((candidate) => ({ candidate, runs: [] as Record<Part, number>[] }));
  for (let round = 0; round < rounds; round++)
    for (const [index, { candidate, runs }] of measured.entries()) {
      runs.push(await profileOnce(candidate, database));
      progress(round * candidates.length + index + 1);
    }
  return measured.map(({ candidate, runs }) => {
    const parts = PARTS.map((part) => [part, summarize(runs.map((run) => run[part]))]);
    return { candidate, parts: Object.fromEntries(parts) };
  });
}

type Frame = { functionName: string; url: string; lineNumber: number; columnNumber: number };
type Profile = {
  nodes: { id: number; callFrame: Frame }[];
  samples: number[];
  timeDeltas: number[];
  startMs: number;
};

async function profileOnce(candidate: Candidate, database: string): Promise<Record<Part, number>> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-profile-'));
  const file = join(folder, 'profile.json');
  try {
    await using lambda = await startLambda(candidate, database, {
      flags: ['--require', PROFILER],
      variables: { BENCH_PROFILE: file },
    });
    await lambda.invoke();
    await lambda.end();
    return sumParts(JSON.parse(readFileSync(file, 'utf8')));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function sumParts({ nodes, samples, timeDeltas, startMs }: Profile): Record<Part, number> {
  const sums = Object.fromEntries(PARTS.map((part) => [part, 0])) as Record<Part, number>;
  sums['Node.js before the function'] = startMs;
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  for (const [at, id] of samples.entries()) {
    const frame = frames.get(id);
    const part = frame && findPart(frame);
    if (part) sums[part] += (timeDeltas[at] ?? 0) / 1000;
  }
  return sums;
}

function findPart({ functionName, url, lineNumber, columnNumber }: Frame): Part | undefined {
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (functionName === 'compileSourceTextModule') return 'compiling the bundle';
  if (url === '') return functionName.startsWith('(') ? undefined : 'Node.js in it';
  if (url === 'node:inspector' || url.endsWith('runtime.cjs') || url.endsWith('profiler.cjs')) return undefined;
  if (url.startsWith('node:')) return 'Node.js in it';
  if (lineNumber === 0 && columnNumber === 0) return 'its top level';
  return findPackage(readSource(url.replace(/^file:\/\//, ''), lineNumber, columnNumber));
}

const maps = new Map<string, SourceMap | undefined>();

function readSource(file: string, line: number, column: number): string {
  if (!maps.has(file)) {
    const text = existsSync(`${file}.map`) ? readFileSync(`${file}.map`, 'utf8') : undefined;
    maps.set(file, text === undefined ? undefined : new SourceMap(JSON.parse(text)));
  }
  const entry = maps.get(file)?.findEntry(line, column);
  return entry && 'originalSource' in entry ? entry.originalSource : '';
}

function findPackage(source: string): Part {
  const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source) ?? [];
  if (!name) return 'the service';
  if (/^@(aws-sdk|smithy|aws)\//.test(name)) return 'AWS SDK';
  if (/graphql|^@apollo\/|^@as-integrations\//.test(name)) return 'GraphQL and Apollo';
  return name === 'zod' ? 'zod' : 'other packages';
}
