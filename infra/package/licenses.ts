import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

const PACKAGE_FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

/** Licenses that only require their text to be included. */
const ALLOWED = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT', 'Unlicense'];

/** Throws for a license that is not in ALLOWED. */
export async function writeLicenses(inputs: string[], file: string): Promise<void> {
  const folders = new Set(inputs.flatMap((path) => PACKAGE_FOLDER.exec(path) ?? []));
  const texts = await Promise.all([...folders].toSorted().map(readLicense));
  await writeFile(file, texts.join(`\n${'-'.repeat(80)}\n\n`));
}

async function readLicense(folder: string): Promise<string> {
  const path = join(ROOT, folder);
  const { name, version, license } = JSON.parse(await readFile(join(path, 'package.json'), 'utf8'));
  if (!`${license}`.split(/ (?:AND|OR) /).every((id) => ALLOWED.includes(id.replace(/[()]/g, ''))))
    throw new Error(`${name} has the license ${license}, so the package must not contain its code`);
  const found = (await readdir(path)).find((file) => /^licen[cs]e(\.\w+)?$/i.test(file));
  const text = found ? await readFile(join(path, found), 'utf8') : '';
  return `${name} ${version}: ${license}\n\n${text.trim()}\n`;
}
