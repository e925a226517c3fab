import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** headless_shell comes first, because it needs half the CPU time of the others. */
const PATHS = [
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** Starts an installed browser: no package of this repository downloads one. */
export async function startChromium(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? PATHS.find((path) => existsSync(path));
  if (!executablePath)
    throw new Error('Install Chromium (Debian: apt-get install chromium), or set CHROMIUM to the path of a Chrome.');
  // The sandbox does not work for root, as in containers.
  return chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 });
}
