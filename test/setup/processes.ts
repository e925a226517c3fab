import { execFileSync } from 'node:child_process';

type Process = { pid: number; parent: number };

/** Lists processes, except zombies (state Z). */
const listProcesses = (): Process[] =>
  execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state]) => !state?.startsWith('Z'))
    .map(([pid, parent]) => ({ pid: Number(pid), parent: Number(parent) }));

export function listDescendants(pid: number | undefined): number[] {
  const all = listProcesses();
  const below = (parent: number | undefined): number[] =>
    all.filter((each) => each.parent === parent).flatMap((each) => [each.pid, ...below(each.pid)]);
  return below(pid);
}

export const findRunning = (pids: number[]) => listProcesses().filter(({ pid }) => pids.includes(pid));
