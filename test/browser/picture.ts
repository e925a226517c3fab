// `npm run picture` takes the README's screenshots.
import { startLocalService } from '../setup/local-service.ts';
import { startChromium } from './chromium.ts';

const FOLDER = 'infra/web/pictures';

const options = ['--memory', '--sample', '400', '--fields', 'test/browser/picture-fields.json'];
const [browser, service] = await Promise.all([startChromium(), startLocalService(options, { GROUPS: 'on' })]);
for (const colorScheme of ['light', 'dark'] as const) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, colorScheme, reducedMotion: 'reduce' });
  await page.goto(service.url);
  await page.getByRole('link', { name: 'Danika Walsh' }).click();
  await page.getByRole('tab', { name: 'Posts' }).waitFor();
  await page.mouse.move(0, 0);
  await page.waitForTimeout(500);
  await page.screenshot({ path: `${FOLDER}/console-${colorScheme}.png` });
}
await Promise.all([browser.close(), service.stop()]);
