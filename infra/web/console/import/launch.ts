import { chooseFile, importing } from './state.ts';

export async function openImport(file?: File): Promise<void> {
  // `main.tsx` tells of a part that cannot be loaded.
  const module = await import('./import-dialog.tsx').catch(() => undefined);
  if (!module) return;
  if (file) chooseFile(file);
  importing.set((all) => ({ ...all, isOpen: true, Dialog: module.ImportDialog }));
}
