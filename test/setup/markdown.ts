import { execFileSync } from 'node:child_process';

/** The paths of all Markdown files of the repository, tracked or new. */
export function findMarkdownFiles(): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'];
  return execFileSync('git', args, { encoding: 'utf8' }).trim().split('\n');
}

/** The contents of the fenced code blocks in a language; those in lists are indented. */
export const findCodeBlocks = (markdown: string, language: string): string[] =>
  [...markdown.matchAll(new RegExp(`^ *\`\`\`${language}\\n(?<text>.*?)^ *\`\`\`$`, 'gms'))].map(
    ({ groups }) => groups?.text ?? '',
  );
