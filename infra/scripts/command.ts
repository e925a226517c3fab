import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { shorten } from '../../lib/input/parsing.ts';
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

export async function runCommand<Options extends ParseArgsOptionsConfig>(
  { options, help, failure }: Command<Options>,
  run: (parsed: Parsed<Options>) => Promise<void>,
): Promise<void> {
  try {
    const swallowed = findSwallowedOptions(options, process.argv.slice(2), process.env);
    if (swallowed) throw new Error(swallowed);
    const parsed = parseArgs<{ options: Options; allowPositionals: true }>({ options, allowPositionals: true });
    if ('help' in parsed.values && parsed.values.help) console.log(help);
    else await run(parsed);
  } catch (error) {
    console.error(`${failure}: ${shorten((error as Error).message, MAX_MESSAGE_BYTES)}`);
    process.exitCode = 1;
  }
}
