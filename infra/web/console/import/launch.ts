import { chooseFile, importing } from './state.ts';

export async function openImport(file?: File): Promise<void> {
  // If the module fails to load, `main.tsx` shows a notice.
  const module = await import('./import-dialog.tsx').catch(() => undefined);
  if (!module) return;
  if (file) chooseFile(file);
  importing.set((all) => ({ ...all, isOpen: true, Dialog: module.ImportDialog }));
}
