import { isDeletingMany } from './deletions.ts';
import { jobs } from './jobs.ts';

/** Whether leaving the page would stop work halfway. */
export const isWorking = (): boolean => jobs.get().length > 0 || isDeletingMany();

export function stopWork(): void {
  for (const { cancel } of jobs.get()) cancel();
}

function ask(event: BeforeUnloadEvent): void {
  if (isWorking()) event.preventDefault();
}

export const askBeforeLeaving = (): void => addEventListener('beforeunload', ask);

export const leaveUnasked = (): void => removeEventListener('beforeunload', ask);
