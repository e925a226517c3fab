import type { Failure } from '../../api/selected-users.ts';
import { notify } from '../../notices.tsx';
import { createStore } from '../../store.ts';

export type Report = { title: string; failures: readonly Failure[] };

/** Shown by `FailureDialog`. */
export const failureReport = createStore<Report | undefined>(undefined);

const MAX_NAMES = 5;

export function reportFailures(problem: string, failures: readonly Failure[]): void {
  if (failures.length === 0) return;
  notify({
    message: `${problem}: ${describe(failures)}`,
    tone: 'error',
    action: { label: 'Show', run: () => failureReport.set(() => ({ title: problem, failures })) },
  });
}

function describe(failures: readonly Failure[]): string {
  const named = failures.slice(0, MAX_NAMES).map(({ user: { name }, reason }) => `${name}: ${reason}`);
  const others = failures.length - named.length;
  return [...named, ...(others > 0 ? [`and ${others} more`] : [])].join('; ');
}
