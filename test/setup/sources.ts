import { cpSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type { EnvironmentSettings } from '../../infra/settings/settings.ts';

export function copySources(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sources-'));
  for (const source of ['functions', 'infra', 'lib', 'package.json'])
    cpSync(source, join(folder, source), { recursive: true, filter: (path) => basename(path) !== 'node_modules' });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'), 'junction');
  return folder;
}

/** Writes settings, which may have wrong types: Node.js does not check types. */
export function writeEnvironments(
  folder: string,
  environments: { default: Record<string, unknown>; [name: string]: EnvironmentSettings | Record<string, unknown> },
): void {
  writeFileSync(
    join(folder, 'infra/settings/environments.ts'),
    `export const environments = ${JSON.stringify(environments, null, 2)};\n`,
  );
}
