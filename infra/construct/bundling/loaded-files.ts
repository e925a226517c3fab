import type { Metafile } from 'esbuild';

/** Lists the files loaded at start: a function's main file with its static imports. */
export function listLoadedFiles({ outputs }: Metafile, name: string): string[] {
  const loaded = Object.keys(outputs).filter((path) => path.endsWith(`/${name}/${name}.mjs`));
  // The loop also visits items that it appends.
  for (const path of loaded)
    for (const { path: imported, kind } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && imported in outputs && !loaded.includes(imported)) loaded.push(imported);
  return loaded;
}
