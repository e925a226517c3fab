import { useEffect } from 'react';
import { isDeletingMany } from './deletions.ts';
import { jobs } from './jobs.ts';

/** Whether leaving the page would stop work halfway. */
export const isWorking = (): boolean => jobs.get().length > 0 || isDeletingMany();

/** Number of open dialogs with values that would be lost with the page. */
let unsavedDialogs = 0;

export const hasUnsavedDialog = (): boolean => unsavedDialogs > 0;

export function useUnsavedDialog(isUnsaved: boolean): void {
  useEffect(() => {
    const added = isUnsaved ? 1 : 0;
    unsavedDialogs += added;
    return () => {
      unsavedDialogs -= added;
    };
  }, [isUnsaved]);
}

function ask(event: BeforeUnloadEvent): void {
  if (isWorking() || hasUnsavedDialog()) event.preventDefault();
}

export const askBeforeLeaving = (): void => addEventListener('beforeunload', ask);

export const leaveUnasked = (): void => removeEventListener('beforeunload', ask);
