import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/** `parseArgs` silently uses the last value. */
export function rejectRepeatedOptions(options: ParseArgsOptionsConfig, args: string[]): void {
  const { tokens } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true });
  const names = tokens.flatMap((token) =>
    token.kind === 'option' && !options[token.name]?.multiple ? token.name : [],
  );
  const repeated = names.find((name, at) => names.indexOf(name) < at);
  if (repeated !== undefined) throw new Error(`--${repeated} is set twice: set it once`);
}
