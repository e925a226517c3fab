import { createStore } from '../store.ts';
import { importDialog } from './dialog-state.ts';

type Module = typeof import('./import-dialog.tsx');

/** What imports is loaded at its first use, as few people need it. */
export const importModule = createStore<Module | undefined>(undefined);

export async function openImport(file?: File): Promise<void> {
  // `main.tsx` tells of a part that cannot be loaded.
  const module = await import('./import-dialog.tsx').catch(() => undefined);
  if (!module) return;
  importModule.set(() => module);
  importDialog.set(() => ({ isOpen: true, ...(file ? { file } : {}) }));
}
