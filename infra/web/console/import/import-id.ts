import * as z from 'zod/mini';
import { createKey } from '../../../../lib/client/client.ts';
import { parseJson } from '../store.ts';

const KEY = 'imports';
/** The service knows the keys of rows for so long. */
const KEPT_MS = 24 * 3_600_000;

const storedImports = z.record(z.string(), z.object({ id: z.string(), startedAt: z.number() }));

type Imports = z.infer<typeof storedImports>;

/** The imports of this browser that have not ended. */
function readImports(): Imports {
  const stored = storedImports.safeParse(parseJson(localStorage.getItem(KEY))).data ?? {};
  return Object.fromEntries(Object.entries(stored).filter(([, { startedAt }]) => Date.now() - startedAt < KEPT_MS));
}

const storeImports = (imports: Imports): void => localStorage.setItem(KEY, JSON.stringify(imports));

const describeFile = ({ name, size, lastModified }: File): string => JSON.stringify([name, size, lastModified]);

export const isUnfinished = (file: File): boolean => describeFile(file) in readImports();

/**
 * Returns the id with which the keys of rows begin. A page that was closed continues with the same one, so that no row creates a second user. It
 * is forgotten at the end: rows of users who were deleted since can be imported again.
 */
export function beginImport(file: File): string {
  const imports = readImports();
  const { id, startedAt } = imports[describeFile(file)] ?? { id: createKey(), startedAt: Date.now() };
  storeImports({ ...imports, [describeFile(file)]: { id, startedAt } });
  return id;
}

export function endImport(file: File): void {
  const { [describeFile(file)]: _, ...others } = readImports();
  storeImports(others);
}

/** The names of files can be those of people. */
export const forgetImports = (): void => localStorage.removeItem(KEY);
