import type { Metafile } from 'esbuild';

/** Lists the files of a bundle that its function loads at first: the one with its name, and what that imports other than dynamically. */
export function listLoadedFiles({ outputs }: Metafile, name: string): string[] {
  const loaded = Object.keys(outputs).filter((path) => path.endsWith(`/${name}/${name}.mjs`));
  // The list grows while it is walked.
  for (const path of loaded)
    for (const { path: imported, kind } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && imported in outputs && !loaded.includes(imported)) loaded.push(imported);
  return loaded;
}
