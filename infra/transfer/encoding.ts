/** `unit`: size of code units, to find line breaks before decoding. */
export type Encoding = { name: string; unit: 'byte' | 'utf-16le' | 'utf-16be'; decode(bytes: Uint8Array): string };

const STRICT = { fatal: true, ignoreBOM: true };

/** Detects the encoding unless it is named. Throws for an unknown name. */
export function chooseEncoding(start: Uint8Array, named?: string): Encoding {
  const decoder = createDecoder(findEncoding(start, named));
  const name = decoder.encoding;
  return {
    name,
    unit: name === 'utf-16le' || name === 'utf-16be' ? name : 'byte',
    decode: (bytes) => decoder.decode(bytes),
  };
}

function createDecoder(name: string) {
  try {
    return new TextDecoder(name, STRICT);
  } catch {
    throw new Error(
      `Unknown encoding ${JSON.stringify(name.slice(0, 40))}. Names are utf-8, utf-16le, windows-1252, shift_jis …`,
    );
  }
}

/** A byte order mark (https://encoding.spec.whatwg.org/#bom-sniff) counts, unless a name other than UTF-16 is given. */
function findEncoding([first, second]: Uint8Array, named: string | undefined): string {
  const mayBeUtf16 = named === undefined || /^utf-?16/i.test(named);
  if (mayBeUtf16 && first === 0xff && second === 0xfe) return 'utf-16le';
  if (mayBeUtf16 && first === 0xfe && second === 0xff) return 'utf-16be';
  if (named !== undefined) return named;
  // In UTF-16, an ASCII character has one zero byte. Its position shows the byte order.
  if (first && second === 0) return 'utf-16le';
  return first === 0 && second ? 'utf-16be' : 'utf-8';
}

/** The longest character of any encoding, including escape sequences. */
const MAX_CHARACTER_BYTES = 8;

export function findInvalidByte(bytes: Uint8Array, { name }: Encoding): number {
  const isValid = (length: number, stream: boolean): boolean => {
    try {
      new TextDecoder(name, STRICT).decode(bytes.subarray(0, length), { stream });
      return true;
    } catch {
      return false;
    }
  };
  // Binary search: if a prefix is invalid, every longer one is invalid, too.
  let [valid, end] = [0, bytes.length];
  while (valid < end) {
    const middle = Math.ceil((valid + end) / 2);
    if (isValid(middle, true)) valid = middle;
    else end = middle - 1;
  }
  // `valid` may include the first bytes of the invalid character. Steps back to its start.
  for (let at = valid; at >= 0 && at > valid - MAX_CHARACTER_BYTES; at--) if (isValid(at, false)) return at;
  return valid;
}
