import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/**
 * `npm start --port 4000`, without `--`, passes only `4000` to this program. npm treats `--auth` as its own option
 * `--auth-type`, and drops it: hence the script `npm run start:auth`.
 */
export function rejectSwallowedOptions(options: ParseArgsOptionsConfig, args: string[], env = process.env): void {
  const { npm_lifecycle_event: script } = env;
  const isSwallowed = (name: string) =>
    env[`npm_config_${name}`] !== undefined && !args.some((arg) => arg.startsWith(`--${name}`));
  if (!script || !Object.keys(options).some(isSwallowed)) return;
  const command = script === 'start' ? 'npm start' : `npm run ${script}`;
  throw new Error(`npm kept options for itself. Write two dashes before them: ${command} -- [options]`);
}

/** `parseArgs` silently uses the last value. */
export function rejectRepeatedOptions(options: ParseArgsOptionsConfig, args: string[]): void {
  const { tokens } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true });
  const names = tokens.flatMap((token) =>
    token.kind === 'option' && !options[token.name]?.multiple ? token.name : [],
  );
  const repeated = names.find((name, at) => names.indexOf(name) < at);
  if (repeated !== undefined) throw new Error(`--${repeated} is set twice: set it once`);
}
