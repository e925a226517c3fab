import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** The first, headless_shell, has no windows and needs half the CPU time. */
const PATHS = [
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** Starts the installed browser: no package downloads one. */
export async function startChromium(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? PATHS.find((path) => existsSync(path));
  if (!executablePath)
    throw new Error('Install Chromium (Debian: apt-get install chromium), or set CHROMIUM to the path of a Chrome.');
  // Root, such as in a build server's container, cannot use the sandbox.
  return chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 });
}
