import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseEmail, canonicalEmail } from '../../lib/users/schema.ts';

const letters = 'abcxyzABCXYZ0189éÉßöÖñÑøØжЖ用户';
const part = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 6 });
const local = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.'));
const domain = fc.tuple(part, fc.constantFrom('example', 'org', 'EXAMPLE')).map((labels) => labels.join('.'));
const address = fc.tuple(local, domain).map((sides) => sides.join('@'));

describe('the one spelling of an address', () => {
  test('is the spelling of itself', () => {
    fc.assert(
      fc.property(address, (typed) => {
        expect(canonicalEmail(canonicalEmail(typed))).toBe(canonicalEmail(typed));
      }),
    );
  });

  test('is that of its other cases, its decomposed form and its ASCII domain', () => {
    fc.assert(
      fc.property(address, (typed) => {
        const at = typed.lastIndexOf('@');
        const ascii = new URL(`http://${typed.slice(at + 1)}`).hostname;
        for (const same of [typed.toLowerCase(), typed.normalize('NFD'), `${typed.slice(0, at)}@${ascii}`])
          expect(canonicalEmail(same)).toBe(canonicalEmail(typed));
      }),
    );
  });

  test('is not that of another address', () => {
    fc.assert(
      fc.property(address, address, (one, other) => {
        fc.pre(one.toLowerCase() !== other.toLowerCase());
        expect(canonicalEmail(one)).not.toBe(canonicalEmail(other));
      }),
    );
  });
});

describe('what is an address', () => {
  test('is kept as typed, but for spaces around it', () => {
    fc.assert(
      fc.property(address, (typed) => {
        expect(parseEmail(`  ${typed}\t`)).toBe(typed);
      }),
    );
  });

  test('is never long, nor has it what could end a line or a header', () => {
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
