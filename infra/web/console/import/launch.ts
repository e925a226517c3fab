import { importDialog } from './state.ts';

export async function openImport(file?: File): Promise<void> {
  // `main.tsx` tells of a part that cannot be loaded.
  const module = await import('./import-dialog.tsx').catch(() => undefined);
  if (module) importDialog.set(() => ({ isOpen: true, file, Content: module.ImportDialog }));
}
