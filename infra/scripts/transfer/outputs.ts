import { accessSync, constants, fstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const nameResultFiles = (results: string) => ({
  results,
  state: `${results}.state`,
  newState: `${results}.state.new`,
  lock: `${results}.lock`,
  /** With --missing report. */
  missing: `${results.replace(/(\.results)?\.ndjson$/, '')}.missing.ndjson`,
});

/** Names an incomplete file, which is renamed when complete. The process id distinguishes concurrent exports. */
export const namePartFile = (file: string): string => `${file}.${process.pid}.part`;

export const isCsvFile = (file: string): boolean => /\.csv(\.gz)?$/.test(file);

/** Accepts pipes, such as /dev/fd/63, and `-` for standard input. */
export function checkInput(file: string): void {
  if (file === '-') return;
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) throw new Error(`File not found: ${file}`);
  if (found.isDirectory()) throw new Error(`${file} is a folder: pass a file`);
}

type Inputs = { file?: string | undefined } & {
  [Name in 'fields' | 'data' | 'deletions' | 'groups']?: string | undefined;
};

/**
 * Throws if an output is an input, even under another name or link, is not a regular file, or cannot be created. The
 * input `-` is standard input.
 */
export function checkOutputs(outputs: string[], { file, fields, data, deletions, groups }: Inputs): void {
  for (const folder of new Set(outputs.map((output) => dirname(output)))) checkWritable(folder);
  const database = data !== undefined && isFolder(data) ? readdirSync(data).map((name) => join(data, name)) : [];
  const inputs = [file, fields, deletions, groups, ...database].filter((input) => input !== undefined);
  for (const output of outputs.filter(isThere)) {
    if (!statSync(output).isFile()) throw new Error(`${output} is not a regular file: pass another output file`);
    const input = inputs.find((input) => identify(input) === identify(output));
    if (input)
      throw new Error(`${output} would be overwritten, but is also the input ${input}: pass another output file`);
  }
}

function checkWritable(folder: string): void {
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new Error(`No file can be created in ${folder} (${(error as Error).message}): pass another output file`);
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
const isThere = (file: string): boolean => statSync(file, { throwIfNoEntry: false }) !== undefined;

const STDIN = 0;

/** Device and inode are equal for all names of a file. */
function identify(file: string): string | undefined {
  const options = { bigint: true, throwIfNoEntry: false } as const;
  const found = file === '-' ? fstatSync(STDIN, { bigint: true }) : statSync(file, options);
  return found && `${found.dev} ${found.ino}`;
}
