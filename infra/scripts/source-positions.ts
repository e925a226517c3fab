import { SourceMap, type SourceMapPayload } from 'node:module';

/** A stack trace has file:///var/task/get-user.mjs:12:3456 */
const POSITION = /(?:file:\/\/)?\/[^\s()]*?([a-z-]+)\.mjs:(\d+):(\d+)/g;

/** Replaces each position in a bundle by the one in the source. `read` returns the source map of a function, if there is one. */
export function mapStack(stack: string, read: (name: string) => SourceMapPayload | undefined): string {
  return stack.replace(POSITION, (position, name, line, column) => {
    const map = read(name);
    if (!map) return position;
    // Stack traces count from 1, source maps from 0.
    const origin = new SourceMap(map).findEntry(Number(line) - 1, Number(column) - 1);
    if (!('originalSource' in origin)) return position;
    const { originalSource, originalLine, originalColumn } = origin;
    return `${originalSource.replace(/^(\.\.\/)+/, '')}:${originalLine + 1}:${originalColumn + 1}`;
  });
}
