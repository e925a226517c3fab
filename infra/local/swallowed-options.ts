import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { readNpmCommandLine } from './npm-command-line.ts';

/**
 * A hint where npm kept options for itself: of `npm start --port 4000`, only `4000` reaches this program. Undefined
 * where it did not.
 */
export function findSwallowedOptions(
  options: ParseArgsOptionsConfig,
  args: string[],
  env: NodeJS.ProcessEnv,
): string | undefined {
  const { npm_lifecycle_event: script } = env;
  if (!script) return undefined;
  const words = readNpmCommandLine(env);
  const corrected = words ? moveOptions(options, words) : isInEnvironment(options, args, env) && '[options]';
  if (!corrected) return undefined;
  const command = script === 'start' ? 'npm start' : `npm run ${script}`;
  return `npm kept options for itself. Write two dashes before them: ${command} -- ${corrected}`;
}

/** The options that stand before the dashes, followed by what stands after them. */
function moveOptions(options: ParseArgsOptionsConfig, words: string[]): string | undefined {
  const dashes = words.indexOf('--');
  const [before, after] = dashes < 0 ? [words, []] : [words.slice(0, dashes), words.slice(dashes + 1)];
  // npm writes -p in full, as its own option.
  const args = before.map((word) => (word === '--parseable' ? '-p' : word));
  const { tokens } = parseArgs({ args, options, strict: false, tokens: true });
  const swallowed = tokens.flatMap((token) => {
    if (token.kind !== 'option' || !Object.hasOwn(options, token.name)) return [];
    return [`--${token.name}`, ...(token.value === undefined ? [] : [token.value])];
  });
  return swallowed.length > 0 ? [...swallowed, ...after].map(quote).join(' ') : undefined;
}

const quote = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word));

/** npm passes options that it does not know in the environment, but neither their order nor all their values. */
function isInEnvironment(options: ParseArgsOptionsConfig, args: string[], env: NodeJS.ProcessEnv): boolean {
  return Object.keys(options).some(
    (name) => env[`npm_config_${name}`] !== undefined && !args.some((arg) => arg.startsWith(`--${name}`)),
  );
}
