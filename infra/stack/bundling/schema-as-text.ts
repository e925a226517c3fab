import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { stripIgnoredCharacters } from 'graphql';

/** A bundle has no file beside it to read the schema from, so it contains the text. */
export const schemaAsText: Plugin = {
  name: 'schema as text',
  setup({ onLoad }) {
    onLoad({ filter: /\/lib\/graphql\/schema\/type-defs\.ts$/ }, async ({ path }) => ({
      contents: stripIgnoredCharacters(await readFile(join(path, '../schema.graphql'), 'utf8')),
      loader: 'text',
    }));
  },
};
