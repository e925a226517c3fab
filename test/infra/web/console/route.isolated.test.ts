import './browser-globals.ts';
import { expect, test, vi } from 'vitest';

test('ids of a link are in lower case, as the service returns them', async () => {
  vi.stubGlobal('location', { search: '?user=01A&compare=01B%2C01C' });
  const { linkTo } = await import('../../../../infra/web/console/route.ts');
  expect(linkTo({})).toBe('?user=01a&compare=01b%2C01c');
});
