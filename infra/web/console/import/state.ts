import { type ComponentType, useSyncExternalStore } from 'react';
import type { Counts } from '../../../transfer/import-rows.ts';
import { createStore } from '../store.ts';
import type { Import } from './job.ts';
import type { Rejected } from './result-log.ts';

export type ImportStatus = 'running' | 'paused' | 'stopping' | 'stopped' | 'failed' | 'done';

/** `part` is how much of the import is done, from 0 to 1, and `rate` is in rows a second. */
export type ImportProgress = {
  status: ImportStatus;
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

type Step =
  | { name: 'choose' }
  | { name: 'review'; file: File; chosenAt: number }
  | { name: 'import'; current: Import; progress: ImportProgress };

/** There is one import at a time, which goes on while its dialog is closed. What imports is loaded at its first use, as few people need it. */
type Importing = { step: Step; isOpen: boolean; Dialog?: ComponentType };

export const importing = createStore<Importing>({ step: { name: 'choose' }, isOpen: false });

export const isActive = (status: ImportStatus): boolean => ['running', 'paused', 'stopping'].includes(status);

function findImportedPart(): number | undefined {
  const { step } = importing.get();
  return step.name === 'import' && isActive(step.progress.status) ? step.progress.part : undefined;
}

/** Returns how much of an import that has not ended is done, from 0 to 1. */
export const useImportedPart = () => useSyncExternalStore(importing.subscribe, findImportedPart);

export const useIsImporting = () => useSyncExternalStore(importing.subscribe, () => findImportedPart() !== undefined);

/** An import that has begun is not left for another file. */
export const chooseFile = (file: File): void =>
  importing.set((all) =>
    all.step.name === 'import' ? all : { ...all, step: { name: 'review', file, chosenAt: performance.now() } },
  );

/** Leaves nothing of an import that has ended. */
export const startAgain = (): void => importing.set((all) => ({ ...all, step: { name: 'choose' } }));

/** An import that can go on, or be continued, stays. */
export function closeImport(): void {
  const { step } = importing.get();
  if (step.name !== 'import' || step.progress.status === 'done') startAgain();
  importing.set((all) => ({ ...all, isOpen: false }));
}
