import { execFileSync } from 'node:child_process';

/** Finds Markdown files that are tracked or new. */
export function findMarkdownFiles(): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'];
  return execFileSync('git', args, { encoding: 'utf8' }).trim().split('\n');
}

/** Finds code blocks, including indented ones in lists. */
export const findCodeBlocks = (markdown: string, language: string): string[] =>
  [...markdown.matchAll(new RegExp(`^ *\`\`\`${language}\\n(?<text>.*?)^ *\`\`\`$`, 'gms'))].map(
    ({ groups }) => groups?.text ?? '',
  );

/** Generates the anchors of a page's headings like GitHub. */
export const findAnchors = (markdown: string): string[] =>
  [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  );

/** Finds relative links. */
export const findLinks = (markdown: string): string[] =>
  [...markdown.matchAll(/\]\((?!\w+:)([^)\s]+)\)/g)].map(([, link = '']) => link);
