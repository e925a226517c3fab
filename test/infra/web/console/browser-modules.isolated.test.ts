import { expect, test, vi } from 'vitest';
import './browser-globals.ts';

vi.mock('node:url', () => import('../../../../infra/web/browser-modules.ts'));
const { parseEmail } = await import('../../../../lib/users/email.ts');

test.each(['bücher.example', 'xn--bcher-kva.example', 'BÜCHER.example', 'xn--mgba3gch31f060k.com', 'نامه\u200cای.com'])(
  'in browsers, an address with the domain %s is valid',
  (domain) => expect(parseEmail(`ada@${domain}`)).toBe(`ada@${domain}`),
);

test.each([
  ...['xn--a.example', 'xn--.example', 'xn--ab-10y.example', 'xn--i-7iq.ws', 'a\u2800b.example', 'a\u200bb.example'],
  ...['a\u00adb.example', 'ａ.example', 'i❤.ws'],
])('in browsers, an address with the domain %s is invalid', (domain) =>
  expect(parseEmail(`ada@${domain}`)).toBeUndefined(),
);
