import { Buffer } from 'node:buffer';
import { domainToASCII, domainToUnicode } from 'node:url';
import { canonicalText, NOT_VISIBLE, SPACE } from '../input/text.ts';

// Separate from input.ts: writes without input validation load no zod.

export const MAX_OCTETS = 254;
export const MAX_LOCAL_OCTETS = 64;

export function describeLocalPart(notVisible: string): string {
  const atom = `[^${notVisible}"(),:;<>@\\[\\]\\\\.]+`;
  return `${atom}(\\.${atom})*`;
}

const LOCAL_PART = new RegExp(`^${describeLocalPart(NOT_VISIBLE)}$`, 'u');
export const UNICODE = `[^\\x00-\\x7f${SPACE}]`;
const TYPED_DOMAIN = new RegExp(`^([A-Za-z0-9.-]|${UNICODE})+$`, 'u');
const ASCII_DOMAIN = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

export const fitsIntoAddress = (text: string): boolean => Buffer.byteLength(text) <= MAX_OCTETS;

/**
 * True for addresses of RFC 5321 section 4.1.2, extended to Unicode by RFC 6531 section 3.3, without quoted strings and
 * address literals.
 */
export function isEmail(text: string): boolean {
  const [local, domain] = splitAtSign(text);
  if (!text.isWellFormed() || Buffer.byteLength(local) > MAX_LOCAL_OCTETS) return false;
  if (!LOCAL_PART.test(local) || !TYPED_DOMAIN.test(domain)) return false;
  return ASCII_DOMAIN.test(domainToASCII(domain)) && domain.split('.').every(isLabel);
}

/**
 * True for ASCII labels, U-labels and A-labels (RFC 5890 section 2.3.2.1). `domainToASCII` alone drops invisible
 * characters, maps compatibility characters, and does not decode A-labels.
 */
function isLabel(typed: string): boolean {
  const label = typed.normalize('NFC').toLowerCase();
  if (!label.startsWith('xn--')) return ASCII_LABEL.test(label) || isUnicodeLabel(label);
  const decoded = domainToUnicode(label);
  return isUnicodeLabel(decoded) && domainToASCII(decoded) === label;
}

const ASCII_LABEL = /^[a-z0-9-]+$/;

/**
 * Matches characters of U-labels (RFC 5892): letters, marks, digits, the exceptions of section 2.6, and joiners.
 * `domainToASCII` checks the context of joiners.
 */
const UNICODE_LABEL =
  /^(?!-)(?:(?!\p{Default_Ignorable_Code_Point})[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{Nd}]|[-\u00b7\u0375\u05f3\u05f4\u06fd\u06fe\u0f0b\u3007\u30fb\u200c\u200d])+(?<!-)$/u;
const isUnicodeLabel = (label: string): boolean =>
  !ASCII_LABEL.test(label) && UNICODE_LABEL.test(label) && label.normalize('NFKC') === label;

function splitAtSign(text: string): [local: string, domain: string] {
  const at = text.lastIndexOf('@');
  return at < 0 ? ['', text] : [text.slice(0, at), text.slice(at + 1)];
}

/** Undefined for an invalid address. */
export function parseEmail(typed: string): string | undefined {
  const text = typed.trim();
  return fitsIntoAddress(text) && isEmail(text) ? text : undefined;
}

/** Returns the same text for all spellings: the key of the email claim. */
export function canonicalEmail(typed: string): string {
  const [local, domain] = splitAtSign(typed);
  return `${canonicalText(local)}@${domainToASCII(domain)}`;
}
