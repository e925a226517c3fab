import type { Candidate } from './candidates.ts';
import { findBase, type Results } from './report.ts';
import { compareRuns, type Summary } from './statistics.ts';

type Bar = { candidate: Candidate; cpu: Summary };

const [WIDTH, LABEL, BAR, GAP, TOP] = [920, 270, 20, 8, 64];
const MAX_BAR = WIDTH - LABEL - 130;

const STYLE = `
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.title { font-size: 16px; font-weight: 600 } .group { font-weight: 600 } .value { fill: #59636e }
.paper { fill: #ffffff } .service { fill: #1a7f37 } .peer { fill: #afb8c1 } .whisker { stroke: #1f2328 }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc } .value { fill: #9198a1 } .paper { fill: #0d1117 }
  .service { fill: #3fb950 } .peer { fill: #656c76 } .whisker { stroke: #f0f6fc }
}`;

export const drawCharts = ({ runs, coldStarts, warm }: Results): Record<string, string> => ({
  cold: drawChart('CPU time of a cold start, in ms', coldStarts, { runs, digits: 0 }),
  warm: drawChart('CPU time of a warm call, in ms', warm, { runs, digits: 2 }),
});

function drawChart(title: string, bars: Bar[], { runs, digits }: { runs: number; digits: number }): string {
  const groups = (['REST', 'GraphQL'] as const).map((api) => ({ api, bars: selectBars(bars, api) }));
  const longest = Math.max(...groups.flatMap(({ bars }) => bars.map(({ cpu }) => cpu.upper)));
  let y = TOP;
  const parts = groups.flatMap(({ api, bars: selected }) => {
    const base = findBase(bars, api).cpu;
    const heading = `<text class="group" x="24" y="${y}">${api}</text>`;
    const drawn = selected.map((bar) => {
      y += BAR + GAP;
      return drawBar(bar, { y: y - BAR - GAP + 12, scale: MAX_BAR / longest, base, runs, digits });
    });
    y += 40;
    return [heading, ...drawn];
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" role="img" aria-label="${title}">
<style>${STYLE}</style>
<rect class="paper" width="${WIDTH}" height="${y}" rx="8"/>
<text class="title" x="24" y="34">${title}, with quartiles</text>
${parts.join('\n')}
</svg>
`;
}

const selectBars = (bars: Bar[], api: Candidate['api']) =>
  bars
    .filter(({ candidate: { api: its, kind } }) => its === api && kind !== 'service, with ten own fields')
    .filter(({ candidate: { kind, name } }) => kind === 'peer' || name === 'get-user' || name === 'graphql')
    .toSorted((a, b) => a.cpu.median - b.cpu.median);

type Place = { y: number; scale: number; base: Summary; runs: number; digits: number };

function drawBar({ candidate, cpu }: Bar, { y, scale, base, runs, digits }: Place): string {
  const label = `${candidate.name}${candidate.kind.replace(/^(service|peer)/, '')}`;
  const x = (value: number) => Math.round(LABEL + value * scale);
  const middle = y + BAR / 2;
  return [
    `<text text-anchor="end" x="${LABEL - 10}" y="${middle + 4}">${label}</text>`,
    `<rect class="${candidate.kind === 'peer' ? 'peer' : 'service'}" x="${LABEL}" y="${y}" width="${x(cpu.median) - LABEL}" height="${BAR}" rx="3"/>`,
    `<line class="whisker" x1="${x(cpu.lower)}" x2="${x(cpu.upper)}" y1="${middle}" y2="${middle}"/>`,
    `<text class="value" x="${x(cpu.upper) + 10}" y="${middle + 4}">${cpu.median.toFixed(digits)} (× ${compareRuns(cpu, base, runs).median.toFixed(2)})</text>`,
  ].join('\n');
}
