import { isBuiltin } from 'node:module';

/** Scripts read process.argv on import, so the name of the script is removed before. */
const commands: Record<string, () => Promise<unknown>> = {
  'check-table': () => import('../scripts/check-table.ts'),
  erase: () => import('../scripts/erase.ts'),
  export: () => import('../scripts/export.ts'),
  import: () => import('../scripts/import.ts'),
  'map-stack': () => import('../scripts/map-stack.ts'),
  preflight: () => import('../scripts/preflight.ts'),
  'purge-field': () => import('../scripts/purge-field.ts'),
  redrive: () => import('../scripts/redrive.ts'),
  relink: () => import('../scripts/relink.ts'),
};

const HELP = `npx user-management COMMAND [options]
  check-table  compares claims, search entries, posts and the page index with the users of a table, and repairs them
  erase        deletes users and erases their personal data
  export       writes users to a file
  import       creates users from a file
  map-stack    replaces positions in a function's stack trace by positions in the source
  preflight    looks at the AWS account before a deploy
  purge-field  deletes the stored values of an own field that is no longer declared
  redrive      sends dead letters to their consumers again
  relink       changes the subjects of users after a user pool has moved
Each has --help. node_modules/user-management-service/runbook.md explains when to use them.`;

const [name = '--help'] = process.argv.splice(2, 1);
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
// Older versions lack this module, or require a flag for it.
if (!isBuiltin('node:sqlite')) fail('The commands require Node.js 22.13 or later.');
else if (command) await command();
else if (name === '--help') console.log(HELP);
else fail(`Unknown command ${name}.\n${HELP}`);

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}
