import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Of the npm that started this process; an older log is not its own. Enough for the slowest machine. */
const MAX_AGE_MS = 10 * 60_000;

/**
 * The words of npm's command line, from the log that npm writes before it runs a script. The environment does not hold
 * them all: npm 11 reads `--auth` as `--auth-type`, and forgets it. Undefined without a log, as with `logs-max=0`.
 */
export function readNpmCommandLine(env: NodeJS.ProcessEnv): string[] | undefined {
  const { npm_lifecycle_event: script, npm_config_cache: cache, npm_config_local_prefix: project } = env;
  if (!script || !cache || !project) return undefined;
  const folder = env.npm_config_logs_dir || join(cache, '_logs');
  try {
    for (const name of listLogs(folder)) {
      const log = readFileSync(join(folder, name), 'utf8');
      const words = parseCommandLine(log);
      // Others may have started npm meanwhile.
      if (log.includes(`load:file:${join(project, '.npmrc')}`) && words.includes(script)) return words;
    }
  } catch {
    // There is no log, or only an old one, which another npm has just deleted.
  }
  return undefined;
}

/** The newest first. Their names are the time of the start, such as 2026-11-22T08_09_52_959Z-debug-0.log. */
function listLogs(folder: string): string[] {
  const earliest = new Date(Date.now() - MAX_AGE_MS).toISOString().replace(/[.:]/g, '_');
  const names = readdirSync(folder).filter((name) => name > earliest && name.endsWith('-debug-0.log'));
  return names.sort().reverse();
}

/** `8 verbose argv "start" "--port" "4000"`: options are written in full, and without `=`. */
function parseCommandLine(log: string): string[] {
  const [, line = ''] = /^\d+ verbose argv (.*)$/m.exec(log) ?? [];
  return (line.match(/"(\\.|[^"\\])*"/g) ?? []).map((word): string => JSON.parse(word));
}
