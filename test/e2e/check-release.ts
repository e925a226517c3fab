import { equal, match, ok } from 'node:assert/strict';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, run } from './run.ts';
import { runSteps, step } from './step.ts';

const NEXT = '99.0.0';
const AUTHOR = {
  GIT_AUTHOR_NAME: 'e2e',
  GIT_AUTHOR_EMAIL: 'e2e@example.com',
  GIT_COMMITTER_NAME: 'e2e',
  GIT_COMMITTER_EMAIL: 'e2e@example.com',
};

/** Releases a clone without publishing. First runs dry, then commits and tags. */
await runSteps('the release', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'release-'));
  const git = (...args: string[]) => run('git', ['-C', folder, ...args]);
  const release = (...args: string[]) =>
    run('npm', ['--prefix', folder, 'run', '-s', 'release', '--', NEXT, '--ci', ...args], {
      ...process.env,
      ...AUTHOR,
    });
  try {
    await run('git', ['clone', '--quiet', '--no-tags', ROOT, folder]);
    await git('checkout', '--quiet', '-B', 'main');
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    // .gitignore matches only a folder, not this link.
    await run('bash', ['-c', `echo node_modules >> '${folder}/.git/info/exclude'`]);
    const before = await git('rev-parse', 'HEAD');
    await step('a dry run shows version and changelog, and changes nothing', async () => {
      const output = await release('--dry-run');
      ok(output.includes(`...${NEXT})`), output);
      match(output, /### Added/);
      equal(await git('status', '--porcelain'), '');
    });
    await step('a release has a commit, a tag, its changelog and an empty section for the next', async () => {
      await release();
      equal((await git('log', '-1', '--format=%s')).trim(), `chore: release ${NEXT}`);
      equal(await git('rev-parse', 'HEAD~1'), before);
      equal((await git('tag', '--points-at', 'HEAD')).trim(), `v${NEXT}`);
      equal(await git('status', '--porcelain'), '');
      const changelog = await readFile(join(folder, 'CHANGELOG.md'), 'utf8');
      match(
        changelog,
        new RegExp(`## \\[Unreleased\\]\\s+## \\[${NEXT}\\] - \\d{4}-\\d\\d-\\d\\d\\s+### (Changed|Added)`),
      );
      for (const file of ['package.json', 'package-lock.json'])
        ok(
          (await readFile(join(folder, file), 'utf8')).includes(`"version": "${NEXT}"`),
          `${file} has another version`,
        );
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});
