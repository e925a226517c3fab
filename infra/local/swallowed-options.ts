/**
 * A hint where npm kept options for itself: `npm start --port 4000` reaches this program as `4000`, and as npm's own
 * setting `npm_config_port`, or as `true` where npm does not know that a value follows. Undefined where it did not.
 */
export function findSwallowedOptions(names: string[], args: string[], env: NodeJS.ProcessEnv): string | undefined {
  const swallowed = names.filter(
    (name) => env[`npm_config_${name}`] !== undefined && !args.some((arg) => arg.startsWith(`--${name}`)),
  );
  if (!env.npm_lifecycle_event || swallowed.length === 0) return undefined;
  const options = swallowed.map((name) => {
    const value = env[`npm_config_${name}`];
    return value === 'true' ? `--${name}` : `--${name} ${value}`;
  });
  const values = args.filter((arg) => !options.some((option) => option.endsWith(` ${arg}`)));
  return `npm kept the options for itself. Write two dashes before them: npm start -- ${[...options, ...values].join(' ')}`;
}
