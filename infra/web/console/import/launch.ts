import { notify } from '../notices.tsx';
import { createStore } from '../store.ts';
import { importDialog } from './dialog-state.ts';

type Module = typeof import('./import-dialog.tsx');

/** What imports is loaded at its first use, as few people need it. */
export const importModule = createStore<Module | undefined>(undefined);

export async function openImport(file?: File): Promise<void> {
  try {
    const module = await import('./import-dialog.tsx');
    importModule.set(() => module);
    importDialog.set(() => ({ isOpen: true, ...(file ? { file } : {}) }));
  } catch (error) {
    notify({ message: `The import cannot be loaded: ${(error as Error).message}. Reload the page.`, tone: 'error' });
  }
}
