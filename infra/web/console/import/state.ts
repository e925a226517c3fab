import type { ComponentType } from 'react';
import type { Counts } from '../../../transfer/import-rows.ts';
import { createStore } from '../store.ts';
import type { Rejected } from './result-log.ts';

export type JobStatus = 'running' | 'paused' | 'stopping' | 'stopped' | 'failed' | 'done';

/** An import of this page. `part` is how much of it is done, from 0 to 1, and `rate` is in rows a second. */
export type Job = {
  status: JobStatus;
  fileName: string;
  part: number;
  rows: number;
  counts: Counts;
  rejected: readonly Rejected[];
  rate: number;
  secondsLeft: number | undefined;
  /** The service is busy or cannot be reached, and is asked again. */
  waitsFor: string | undefined;
  error: string | undefined;
};

export const job = createStore<Job | undefined>(undefined);

/** Returns how much of an import that has not ended is done, from 0 to 1. */
export const findImportedPart = (): number | undefined => {
  const { status, part } = job.get() ?? {};
  return status === 'running' || status === 'paused' || status === 'stopping' ? part : undefined;
};

export type DialogProps = { isOpen: boolean; file: File | undefined };

type Dialog = {
  isOpen: boolean;
  /** It was dropped. Each drop makes another value. */
  file?: File | undefined;
  /** What imports is loaded at its first use, as few people need it. */
  Content?: ComponentType<DialogProps>;
};

export const importDialog = createStore<Dialog>({ isOpen: false });

export const closeImport = (): void => importDialog.set((dialog) => ({ ...dialog, isOpen: false, file: undefined }));
