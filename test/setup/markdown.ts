import { execFileSync } from 'node:child_process';

/** Finds tracked and new files. */
export function findMarkdownFiles(): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'];
  return execFileSync('git', args, { encoding: 'utf8' }).trim().split('\n');
}

/** Includes indented blocks in lists. */
export const findCodeBlocks = (markdown: string, language: string): string[] =>
  [...markdown.matchAll(new RegExp(`^ *\`\`\`${language}\\n(?<text>.*?)^ *\`\`\`$`, 'gms'))].map(
    ({ groups }) => groups?.text ?? '',
  );
