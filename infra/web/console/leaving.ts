import { useEffect } from 'react';
import { isDeletingMany } from './deletions.ts';
import { jobs } from './jobs.ts';

/** Whether leaving the page would stop work halfway. */
export const isWorking = (): boolean => jobs.get().length > 0 || isDeletingMany();

/** Open dialogs with values that would be lost with the page. */
const unsavedDialogs = new Set<object>();

export const hasUnsavedDialog = (): boolean => unsavedDialogs.size > 0;

export function useUnsavedDialog(isUnsaved: boolean): void {
  useEffect(() => {
    const dialog = {};
    if (isUnsaved) unsavedDialogs.add(dialog);
    return () => {
      unsavedDialogs.delete(dialog);
    };
  }, [isUnsaved]);
}

function ask(event: BeforeUnloadEvent): void {
  if (isWorking() || hasUnsavedDialog()) event.preventDefault();
}

export const askBeforeLeaving = (): void => addEventListener('beforeunload', ask);

export const leaveUnasked = (): void => removeEventListener('beforeunload', ask);
