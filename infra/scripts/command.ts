import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { shorten } from '../../lib/input/parsing.ts';
import { rejectRepeatedOptions, rejectSwallowedOptions } from '../local/arguments.ts';
import { explainDamage } from '../local/database/engine-errors.ts';

const helpOption = { help: { type: 'boolean' } } as const;

export type Parsed<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; allowPositionals: true }>
>;

type Command<Options> = {
  options: Options;
  help: string;
  /** Start of the error message, such as `Not exported`. */
  failure: string;
};

const MAX_MESSAGE_BYTES = 5_000;

export function rejectArguments([first]: string[], help: string): void {
  if (first !== undefined) throw new Error(`Unexpected argument ${first}.\n${help}`);
}

export function requireArgument([first, ...others]: string[], name: string, help: string): string {
  if (first === undefined || others.length > 0) throw new Error(`Pass ${name}.\n${help}`);
  return first;
}

/** Stops a command after its current requests. A second signal ends the process. */
export function abortOnSignal(message?: string): AbortSignal {
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => {
      if (message !== undefined) console.error(message);
      stopping.abort();
    });
  return stopping.signal;
}

export async function runCommand<Options extends ParseArgsOptionsConfig>(
  { options: ownOptions, help, failure }: Command<Options>,
  run: (parsed: Parsed<Options>) => Promise<void>,
): Promise<void> {
  try {
    const args = process.argv.slice(2);
    const options = { ...ownOptions, ...helpOption };
    rejectSwallowedOptions(options, args);
    rejectRepeatedOptions(options, args);
    const { help: asksForHelp } = parseArgs({ options: helpOption, strict: false }).values;
    if (asksForHelp) return console.log(help);
    const parsed = parseArgs<{ options: Options; allowPositionals: true }>({
      options: ownOptions,
      allowPositionals: true,
    });
    rejectEmptyValues(parsed.values);
    await run(parsed);
  } catch (error) {
    process.exitCode = 1;
    // The reader, such as `head`, has ended on purpose.
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return;
    console.error(`${failure}: ${shorten(describeError(error as Error), MAX_MESSAGE_BYTES)}`);
  }
}

export function describeError(error: Error): string {
  const { name, message } = error;
  if (name === 'ResourceNotFoundException')
    return `Table ${process.env.TABLE_NAME} not found: check its name, and the account and region (AWS_PROFILE, AWS_REGION)`;
  if (name === 'CredentialsProviderError') return `${message}: set AWS_PROFILE, or sign in with the AWS CLI`;
  if (message === 'Region is missing') return 'The AWS region is missing: set AWS_REGION';
  const cause = findCause(error);
  return explainDamage(message.includes(cause) ? message : `${message}: ${cause}`);
}

/** `fetch` hides the reason in causes. An error for several addresses has only a code. */
function findCause(error: Error): string {
  if (error.cause instanceof Error) return findCause(error.cause);
  return error.message || String((error as NodeJS.ErrnoException).code ?? '');
}

/** An unset variable of the shell, as in `--table "$TABLE"`. */
function rejectEmptyValues(values: object): void {
  for (const [name, value] of Object.entries(values))
    if ([value].flat().includes('')) throw new Error(`--${name} is empty: pass a value, or omit the option`);
}
