// Kills engines once the parent process has ended, which closes standard input. The folder has a file per engine: the
// name is the process id, the content is the path of a temporary folder to remove. JavaScript, because it starts twice
// as fast as TypeScript.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2] ?? '';

process.stdin.resume().on('end', () => {
  for (const pid of readdirSync(folder)) {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {}
    const temporary = readFileSync(join(folder, pid), 'utf8');
    if (temporary) rmSync(temporary, { recursive: true, force: true });
  }
  rmSync(folder, { recursive: true, force: true });
});
