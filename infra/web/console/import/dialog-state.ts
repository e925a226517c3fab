import { createStore } from '../store.ts';

/** The dialog is open, with a file if one was dropped. Each drop makes another value. */
export const importDialog = createStore<{ isOpen: boolean; file?: File }>({ isOpen: false });

export const closeImport = (): void => importDialog.set(() => ({ isOpen: false }));

/** How much of an import that is under way is done, from 0 to 1. */
export const importedPart = createStore<number | undefined>(undefined);
