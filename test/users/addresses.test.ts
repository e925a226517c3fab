import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalEmail, parseEmail } from '../../lib/users/email.ts';

const letters = 'abcxyzABCXYZ0189éÉßöÖñÑøØжЖ用户';
const part = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 6 });
const local = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.'));
const domain = fc.tuple(part, fc.constantFrom('example', 'org', 'EXAMPLE')).map((labels) => labels.join('.'));
const address = fc.tuple(local, domain).map((sides) => sides.join('@'));

describe('the canonical email', () => {
  test('is its own canonical email', () => {
    fc.assert(
      fc.property(address, (typed) => {
        expect(canonicalEmail(canonicalEmail(typed))).toBe(canonicalEmail(typed));
      }),
    );
  });

  test('is the same for other cases, decomposed Unicode and the ASCII form of the domain', () => {
    fc.assert(
      fc.property(address, (typed) => {
        const at = typed.lastIndexOf('@');
        const ascii = new URL(`http://${typed.slice(at + 1)}`).hostname;
        for (const same of [typed.toLowerCase(), typed.normalize('NFD'), `${typed.slice(0, at)}@${ascii}`])
          expect(canonicalEmail(same)).toBe(canonicalEmail(typed));
      }),
    );
  });

  test('differs for different addresses', () => {
    fc.assert(
      fc.property(address, address, (one, other) => {
        fc.pre(one.toLowerCase() !== other.toLowerCase());
        expect(canonicalEmail(one)).not.toBe(canonicalEmail(other));
      }),
    );
  });
});

describe('a valid email', () => {
  test('is kept as typed, without surrounding whitespace', () => {
    fc.assert(
      fc.property(address, (typed) => {
        expect(parseEmail(`  ${typed}\t`)).toBe(typed);
      }),
    );
  });

  test('has at most 254 octets, and no character that could end a line or a header', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.constantFrom('', '@', '@example.org'),
        (text, end) => {
          const email = parseEmail(text + end);
          if (email === undefined) return;
          expect(Buffer.byteLength(email)).toBeLessThanOrEqual(254);
          expect(email).not.toMatch(/[\p{Cc}\p{Z}<>]/u);
        },
      ),
    );
  });
});
