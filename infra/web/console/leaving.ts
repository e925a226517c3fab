import { isDeletingMany } from './deletions.ts';
import { isImporting, stopImport } from './import/state.ts';
import { currentJob } from './users/selection/bulk-job.ts';

/** Whether leaving the page would stop work halfway. */
export const isWorking = (): boolean => currentJob.get() !== undefined || isImporting() || isDeletingMany();

export function stopWork(): void {
  currentJob.get()?.cancel();
  stopImport();
}

function ask(event: BeforeUnloadEvent): void {
  if (isWorking()) event.preventDefault();
}

export const askBeforeLeaving = (): void => addEventListener('beforeunload', ask);

export const leaveUnasked = (): void => removeEventListener('beforeunload', ask);
