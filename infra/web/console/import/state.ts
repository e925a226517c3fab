import { useSyncExternalStore } from 'react';
import { type Job, jobs } from '../jobs.ts';
import { createStore } from '../store.ts';
import type { ImportFile } from './import-file.ts';
import type { Results } from './results.ts';

export type CurrentImport = { source: ImportFile; results: Results; run: () => void };

/** `ended` is undefined while `jobs` has the import. */
type Step =
  | { name: 'choose' }
  | { name: 'review'; file: File; chosenAt: number }
  | { name: 'import'; current: CurrentImport; ended?: Job };

/** At most one import, which continues when its dialog closes. `wasOpened`: the page has loaded the dialog. */
type Importing = { step: Step; isOpen: boolean; wasOpened: boolean };

export const importing = createStore<Importing>({ step: { name: 'choose' }, isOpen: false, wasOpened: false });

export function openImport(file?: File): void {
  if (file) chooseFile(file);
  importing.set((all) => ({ ...all, isOpen: true, wasOpened: true }));
}

export const findImport = (all: readonly Job[]): Job | undefined => all.find(({ kind }) => kind === 'Import');

/** False after a failure, until the import goes on. */
const isImporting = (): boolean => {
  const job = findImport(jobs.get());
  return job !== undefined && job.status !== 'failed';
};

export const useIsImporting = () => useSyncExternalStore(jobs.subscribe, isImporting);

/** Ignored once an import has started, until `startAgain`. */
export const chooseFile = (file: File): void =>
  importing.set((all) =>
    all.step.name === 'import' ? all : { ...all, step: { name: 'review', file, chosenAt: performance.now() } },
  );

export function startAgain(): void {
  findImport(jobs.get())?.cancel();
  importing.set((all) => ({ ...all, step: { name: 'choose' } }));
}

/** Keeps an import that runs or can be continued. */
export function closeImport(): void {
  const { step } = importing.get();
  if (step.name !== 'import' || step.ended?.status === 'done') startAgain();
  importing.set((all) => ({ ...all, isOpen: false }));
}
