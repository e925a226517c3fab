import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalEmail, parseEmail } from '../../../lib/users/email.ts';

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

  test('ignores case, decomposed Unicode and the ASCII form of the domain', () => {
    fc.assert(
      fc.property(address, (typed) => {
        const at = typed.lastIndexOf('@');
        const ascii = new URL(`http://${typed.slice(at + 1)}`).hostname;
        for (const same of [typed.toLowerCase(), typed.normalize('NFD'), `${typed.slice(0, at)}@${ascii}`])
          expect(canonicalEmail(same)).toBe(canonicalEmail(typed));
      }),
    );
  });

  /** Yields every letter with another case: alone, at each position of a word, and with combining marks. */
  function* listCasedTexts() {
    for (let code = 0x80; code <= 0x10ffff; code++) {
      const letter = code >= 0xd800 && code <= 0xdfff ? '' : String.fromCodePoint(code);
      if (letter.toUpperCase() === letter && letter.toLowerCase() === letter) continue;
      for (const text of [letter, `${letter}Β`, `Α${letter}Β`, `Α${letter}`, `Α${letter}-b`, `a${letter}\u0307\u0301`])
        yield text.normalize('NFC');
    }
  }

  /** False for ß and ı, which share an upper case with other letters. */
  const hasOwnUpperCase = (letter: string) => letter !== 'ı' && [...letter.toUpperCase()].length === 1;
  const canBeUpperCase = (text: string) => [...text].every(hasOwnUpperCase);

  test('is the same in lower case and upper case, at every position of the local part', () => {
    let count = 0;
    const different: string[] = [];
    for (const text of listCasedTexts()) {
      count++;
      const canonical = canonicalEmail(`${text}@example.org`);
      const others = [canonical, `${text.toLowerCase()}@example.org`];
      if (canBeUpperCase(text)) others.push(`${text.toUpperCase()}@EXAMPLE.ORG`);
      if (others.some((other) => canonicalEmail(other) !== canonical)) different.push(text);
    }
    expect(different).toEqual([]);
    expect(count).toBeGreaterThan(10_000);
  });

  test('distinguishes letters that share an upper case with other letters', () => {
    for (const [one, other] of [
      ['weiß', 'weiss'],
      ['ışık', 'işik'],
      ['ﬁn', 'fin'],
    ])
      expect(canonicalEmail(`${one}@example.org`)).not.toBe(canonicalEmail(`${other}@example.org`));
  });

  test('has the IDNA form of the typed domain', () => {
    expect(canonicalEmail('x@ΝΙΚΟΣ-shop.gr')).toBe(canonicalEmail('x@νικοσ-shop.gr'));
    // The final sigma makes another domain, because IDNA 2008 has it as a letter.
    expect(canonicalEmail('x@νικος-shop.gr')).not.toBe(canonicalEmail('x@νικοσ-shop.gr'));
    expect(canonicalEmail('x@STRAẞE.de')).toBe(canonicalEmail('x@straße.de'));
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

  // Conversion to ASCII drops DROPPED. In NO_LETTERS, it maps some to letters and keeps others, e.g. the blank U+2800.
  const DROPPED = '\u00ad \u034f \u180b \u200b \u200c \u200d \u2060 \u2064 \ufe00 \ufe0f'.split(' ');
  const NO_LETTERS = '\u115f \u1160 \u2800 \u3164 \uffa0 \u3002 \uff0e ❤ 🦊 № ² ａ ﬁ Ⅷ'.split(' ');

  test.each(
    [...DROPPED, ...NO_LETTERS].map((character) => ({ character, code: character.codePointAt(0)?.toString(16) })),
  )('has no domain with U+$code', ({ character }) => {
    for (const domain of [`a${character}b.example`, `${character}.example`, `a.example${character}`])
      expect(parseEmail(`ada@${domain}`), domain).toBeUndefined();
  });

  test.each([
    'xn--a.de',
    'xn--.de',
    'xn--abc.de',
    'xn--a-ecp.ru',
    'xn--ab-10y.de',
    'xn--i-7iq.ws',
    'xn--bücher.de',
    '-ü.de',
  ])('cannot have the domain %s, which is neither an A-label nor a U-label', (domain) =>
    expect(parseEmail(`ada@${domain}`)).toBeUndefined(),
  );

  test.each([
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.Example', 'XN--BCHER-KVA.example'],
    ['bu\u0308cher.example', 'xn--bcher-kva.example'],
    ['faß.de', 'xn--fa-hia.de'],
    ['l·l.cat', 'xn--ll-0ea.cat'],
    ['日本語.jp', 'xn--wgv71a119e.jp'],
    // Joiners are allowed where they change the shape of letters.
    ['نامه\u200cای.com', 'xn--mgba3gch31f060k.com'],
    ['ab--cd.de', 'ab--cd.de'],
  ])('may have the domain %s, which is also %s', (typed, ascii) => {
    for (const domain of [typed, ascii]) expect(parseEmail(`ada@${domain}`)).toBe(`ada@${domain}`);
    expect(canonicalEmail(`ada@${typed}`)).toBe(canonicalEmail(`ada@${ascii}`));
  });
});
