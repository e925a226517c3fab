import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { shorten } from '../../lib/input/parsing.ts';
import { rejectRepeatedOptions } from '../arguments.ts';
import { findSwallowedOptions } from '../local/npm.ts';

export type Parsed<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; allowPositionals: true }>
>;

type Command<Options> = {
  options: Options & { help: { type: 'boolean' } };
  help: string;
  /** Start of the error message, such as `Not exported`. */
  failure: string;
};

const MAX_MESSAGE_BYTES = 5_000;

export function rejectArguments([first]: string[], help: string): void {
  if (first !== undefined) throw new Error(`Unexpected argument ${first}.\n${help}`);
}

export async function runCommand<Options extends ParseArgsOptionsConfig>(
  { options, help, failure }: Command<Options>,
  run: (parsed: Parsed<Options>) => Promise<void>,
): Promise<void> {
  try {
    const args = process.argv.slice(2);
    const swallowed = findSwallowedOptions(options, args, process.env);
    if (swallowed) throw new Error(swallowed);
    rejectRepeatedOptions(options, args);
    const parsed = parseArgs<{ options: Options; allowPositionals: true }>({ options, allowPositionals: true });
    rejectEmptyValues(parsed.values);
    if ('help' in parsed.values && parsed.values.help) console.log(help);
    else await run(parsed);
  } catch (error) {
    console.error(`${failure}: ${shorten((error as Error).message, MAX_MESSAGE_BYTES)}`);
    process.exitCode = 1;
  }
}

/** An unset variable of the shell, as in `--table "$TABLE"`. */
function rejectEmptyValues(values: object): void {
  for (const [name, value] of Object.entries(values))
    if ([value].flat().includes('')) throw new Error(`--${name} is empty: pass a value, or omit the option`);
}
