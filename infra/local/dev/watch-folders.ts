import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** On Linux, Node's recursive watch loses files that are replaced, as git and many editors do. */
const WATCHES_RECURSIVELY = process.platform !== 'linux';

export function watchFolders(folders: string[], onChange: (path: string) => void): void {
  let watchers: FSWatcher[] = [];
  const open = () => {
    const previous = watchers;
    watchers = [];
    try {
      for (const folder of WATCHES_RECURSIVELY ? folders : folders.flatMap(listFolders))
        watchers.push(...ifPresent(() => watchFolder(folder)));
    } catch (error) {
      warnOfUnwatched(error as Error);
    }
    for (const watcher of previous) watcher.close();
  };
  const watchFolder = (folder: string) => {
    const watcher = watch(folder, { recursive: WATCHES_RECURSIVELY }, (event, name) => {
      if (!name) return;
      const path = join(folder, name);
      if (!WATCHES_RECURSIVELY && event === 'rename' && isFolder(path)) open();
      onChange(path);
    });
    return watcher.on('error', warnOfUnwatched);
  };
  open();
}

/** Watches the folder: many editors replace the file, which ends a watch of the file itself. */
export function watchFile(file: string, onChange: () => void): void {
  try {
    watch(dirname(file), (_, name) => name === basename(file) && onChange()).on('error', warnOfUnwatched);
  } catch (error) {
    warnOfUnwatched(error as Error);
  }
}

const listFolders = (folder: string): string[] => [
  folder,
  ...ifPresent(() => readdirSync(folder, { withFileTypes: true }))
    .flat()
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
    .flatMap(({ name }) => listFolders(join(folder, name))),
];

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

function ifPresent<Result>(read: () => Result): Result[] {
  try {
    return [read()];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function warnOfUnwatched({ message }: Error): void {
  console.error(`Some folders cannot be watched. Restart after changing files in them: ${message}`);
}
