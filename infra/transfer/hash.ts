/**
 * Returns a hash of 64 bits in the style of MurmurHash. Not for security. Browsers have no `node:crypto`, and Web
 * Crypto only over HTTPS.
 */
export function hashText(text: string): [high: number, low: number] {
  let [high, low] = [0x9e3779b9, 0x85ebca6b];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    high = rotate(Math.imul(high ^ unit, 0xcc9e2d51), 15);
    low = rotate(Math.imul(low ^ unit, 0x1b873593), 13);
  }
  // Each bit of the input must affect all 64 bits.
  const mixed = mix(high ^ text.length);
  return [mixed >>> 0, mix(low ^ mixed) >>> 0];
}

const rotate = (bits: number, by: number): number => (bits << by) | (bits >>> (32 - by));

function mix(bits: number): number {
  const first = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35);
  return second ^ (second >>> 16);
}

export const formatHash = (text: string): string =>
  hashText(text)
    .map((half) => half.toString(16).padStart(8, '0'))
    .join('');
