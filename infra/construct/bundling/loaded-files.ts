import type { Metafile } from 'esbuild';

/** Includes static imports of imported files. */
export function listLoadedFiles({ outputs }: Metafile, name: string): string[] {
  const loaded = Object.keys(outputs).filter((path) => path.endsWith(`/${name}/${name}.mjs`));
  // The loop also visits the files that it appends.
  for (const path of loaded)
    for (const { path: imported, kind } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && imported in outputs && !loaded.includes(imported)) loaded.push(imported);
  return loaded;
}
