import { isDeletingMany } from './deletions.ts';
import { jobs } from './jobs.ts';

/** Whether leaving the page would stop work halfway. */
export const isWorking = (): boolean => jobs.get().length > 0 || isDeletingMany();

function ask(event: BeforeUnloadEvent): void {
  if (isWorking()) event.preventDefault();
}

export const askBeforeLeaving = (): void => addEventListener('beforeunload', ask);

export const leaveUnasked = (): void => removeEventListener('beforeunload', ask);
