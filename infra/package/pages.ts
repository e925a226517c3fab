import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '../..');

/** Names of the pages in the package, by their paths in the repository. */
const PAGES = {
  'infra/package/README.md': 'README.md',
  'infra/runbook.md': 'runbook.md',
  'infra/access.md': 'access.md',
  'infra/erase.md': 'erase.md',
  'infra/events.md': 'events.md',
  'infra/analytics.md': 'analytics.md',
  'infra/identity-providers.md': 'identity-providers.md',
  'infra/own-fields/README.md': 'own-fields.md',
  'infra/scripts/transfer/README.md': 'transfer.md',
};

const CLIENT_PAGES = { 'lib/client/README.md': 'README.md' };

export type Page = { name: string; text: string };

export const createPages = (): Page[] => createPagesOf(PAGES, { 'infra/resources.sh': 'resources.sh' });

export const createClientPages = (): Page[] => createPagesOf(CLIENT_PAGES, {});

function createPagesOf(pages: Record<string, string>, files: Record<string, string>): Page[] {
  const packaged = new Map(Object.entries({ ...pages, ...files }));
  return Object.entries(pages).map(([source, name]) => ({ name, text: createPage(source, packaged) }));
}

/** Links to pages outside the package become plain text. */
function createPage(source: string, packaged: ReadonlyMap<string, string>): string {
  return nameCommand(readFileSync(join(ROOT, source), 'utf8'))
    .replaceAll('. infra/resources.sh', `. node_modules/${packageJson.name}/resources.sh`)
    .replaceAll(/\[([^\]]+)\]\((?!https?:|#)([^)#\s]+)(#[^)\s]+)?\)/g, (_, label, path, anchor = '') => {
      const target = join(dirname(source), path);
      const name = packaged.get(target) ?? packaged.get(join(target, 'README.md'));
      return name ? `[${label}](${name}${anchor})` : label;
    });
}

/** Replaces `npm run <command>`, which only works in the repository. */
export const nameCommand = (text: string) =>
  text.replace(
    /npm run (?:-s )?(check-table|erase|export|import|map-stack|preflight|purge-field|redrive|relink)( --(?= ))?/g,
    'npx user-management $1',
  );
