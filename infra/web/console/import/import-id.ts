import * as z from 'zod/mini';
import { createKey } from '../../../../lib/client/client.ts';
import { sharedStorage } from '../auth/page-storage.ts';
import { parseJson } from '../store.ts';

const KEY = 'imports';
/** The service remembers idempotency keys for 24 h. */
const KEPT_MS = 24 * 3_600_000;

const storedImports = z.record(z.string(), z.object({ id: z.string(), startedAt: z.number() }));

type Imports = z.infer<typeof storedImports>;

function readImports(): Imports {
  const stored = storedImports.safeParse(parseJson(sharedStorage.getItem(KEY))).data ?? {};
  return Object.fromEntries(Object.entries(stored).filter(([, { startedAt }]) => Date.now() - startedAt < KEPT_MS));
}

const storeImports = (imports: Imports): void => sharedStorage.setItem(KEY, JSON.stringify(imports));

const describeFile = ({ name, size, lastModified }: File): string => JSON.stringify([name, size, lastModified]);

export const isUnfinished = (file: File): boolean => describeFile(file) in readImports();

/** Prefix of the rows' idempotency keys. Stored, so that an import repeated after a reload creates no second user. */
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

/** Called at sign-out: file names can contain names of people. */
export const forgetImports = (): void => sharedStorage.removeItem(KEY);
