import type { ParseArgsOptionsConfig } from 'node:util';

/**
 * Returns a hint if npm kept options for itself: of `npm start --port 4000`, only `4000` reaches this program. npm passes
 * options that it does not know in the environment. It reads `--auth` as an abbreviation of `--auth-type` and drops
 * it, which is why `npm run start:auth` exists.
 */
export function findSwallowedOptions(
  options: ParseArgsOptionsConfig,
  args: string[],
  env: NodeJS.ProcessEnv,
): string | undefined {
  const { npm_lifecycle_event: script } = env;
  const isSwallowed = (name: string) =>
    env[`npm_config_${name}`] !== undefined && !args.some((arg) => arg.startsWith(`--${name}`));
  if (!script || !Object.keys(options).some(isSwallowed)) return undefined;
  const command = script === 'start' ? 'npm start' : `npm run ${script}`;
  return `npm kept options for itself. Write two dashes before them: ${command} -- [options]`;
}

/** npm that is killed tells its script nothing: the service would keep its port for ever. */
export function endWithNpm(end: () => void): void {
  if (!process.env.npm_lifecycle_event) return;
  const { ppid: npm } = process;
  setInterval(() => process.ppid === npm || end(), 1000).unref();
}
