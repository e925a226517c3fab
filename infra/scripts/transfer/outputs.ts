import { fstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The files that an import writes, by the one of its results. */
export const nameResultFiles = (results: string) => ({
  results,
  state: `${results}.state`,
  newState: `${results}.state.new`,
  lock: `${results}.lock`,
});

/** An export is written there until it is whole, beside another one that is under way. */
export const namePartFile = (file: string): string => `${file}.${process.pid}.part`;

export const isCsvFile = (file: string): boolean => /\.csv(\.gz)?$/.test(file);

type Inputs = { file?: string; fields?: string | undefined; data?: string | undefined };

/**
 * Throws an error of one sentence if a command would write a file that it reads, by whatever name or link, or one that is not a regular file,
 * which it would replace. `-` is standard input.
 */
export function checkOutputs(outputs: string[], { file, fields, data }: Inputs): void {
  const database = data !== undefined && isThere(data) ? readdirSync(data).map((name) => join(data, name)) : [];
  const inputs = [file, fields, ...database].filter((input) => input !== undefined);
  for (const output of outputs.filter(isThere)) {
    if (!statSync(output).isFile()) throw new Error(`${output} is no regular file: name another one to write`);
    const input = inputs.find((input) => identify(input) === identify(output));
    if (input)
      throw new Error(`${output} would be overwritten, but it is read as ${input}: name another file to write`);
  }
}

const isThere = (file: string): boolean => statSync(file, { throwIfNoEntry: false }) !== undefined;

const STDIN = 0;

/** Returns a text that is equal for all names of one file; undefined if there is no file. */
function identify(file: string): string | undefined {
  const options = { bigint: true, throwIfNoEntry: false } as const;
  const found = file === '-' ? fstatSync(STDIN, { bigint: true }) : statSync(file, options);
  return found && `${found.dev} ${found.ino}`;
}
