import { execFileSync } from 'node:child_process';

/** Returns the paths of all Markdown files of the repository, tracked or new. */
export function findMarkdownFiles(): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'];
  return execFileSync('git', args, { encoding: 'utf8' }).trim().split('\n');
}

/** Returns the contents of the fenced code blocks in a language, including indented blocks in lists. */
export const findCodeBlocks = (markdown: string, language: string): string[] =>
  [...markdown.matchAll(new RegExp(`^ *\`\`\`${language}\\n(?<text>.*?)^ *\`\`\`$`, 'gms'))].map(
    ({ groups }) => groups?.text ?? '',
  );
