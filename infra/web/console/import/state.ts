import { type ComponentType, useSyncExternalStore } from 'react';
import type { Counts } from '../../../transfer/import-rows.ts';
import { createStore } from '../store.ts';
import type { Import } from './job.ts';
import type { Rejected } from './results.ts';

export type ImportStatus = 'running' | 'paused' | 'stopping' | 'stopped' | 'failed' | 'done';

/** `part` is the completed share, from 0 to 1. `rate` is in rows per second. */
export type ImportProgress = {
  status: ImportStatus;
  part: number;
  rows: number;
  counts: Counts;
  rejected: readonly Rejected[];
  rate: number;
  secondsLeft: number | undefined;
  waitsFor: string | undefined;
  error: string | undefined;
};

type Step =
  | { name: 'choose' }
  | { name: 'review'; file: File; chosenAt: number }
  | { name: 'import'; current: Import; progress: ImportProgress };

/** At most one import, which continues when its dialog closes. */
type Importing = { step: Step; isOpen: boolean; Dialog?: ComponentType };

export const importing = createStore<Importing>({ step: { name: 'choose' }, isOpen: false });

export const isActive = (status: ImportStatus): boolean => ['running', 'paused', 'stopping'].includes(status);

function findImportedPart(): number | undefined {
  const { step } = importing.get();
  return step.name === 'import' && isActive(step.progress.status) ? step.progress.part : undefined;
}

export const useImportedPart = () => useSyncExternalStore(importing.subscribe, findImportedPart);

export const isImporting = (): boolean => findImportedPart() !== undefined;

export const useIsImporting = () => useSyncExternalStore(importing.subscribe, isImporting);

export function stopImport(): void {
  const { step } = importing.get();
  if (step.name === 'import' && isActive(step.progress.status)) step.current.stop();
}

/** Ignored once an import has started, until `startAgain`. */
export const chooseFile = (file: File): void =>
  importing.set((all) =>
    all.step.name === 'import' ? all : { ...all, step: { name: 'review', file, chosenAt: performance.now() } },
  );

export const startAgain = (): void => importing.set((all) => ({ ...all, step: { name: 'choose' } }));

/** Keeps an import that runs or can be continued. */
export function closeImport(): void {
  const { step } = importing.get();
  if (step.name !== 'import' || step.progress.status === 'done') startAgain();
  importing.set((all) => ({ ...all, isOpen: false }));
}
