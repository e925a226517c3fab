import punycode from 'punycode.js';
import { ownFields } from './console/own-fields.ts';

/** The console checks import files by the service's rules, without Node.js. */
export const environment = {
  /** Called when the declared fields' module loads, after the console's settings. */
  readOwnFields: (): Record<string, unknown> =>
    Object.fromEntries(ownFields.get().map(({ name, ...declaration }) => [name, declaration])),
};

export const Buffer = { byteLength: (text: string): number => new TextEncoder().encode(text).length };

/** As in Node.js: https://url.spec.whatwg.org/#hostname-state */
export function domainToASCII(domain: string): string {
  try {
    return new URL(`ws://${domain}`).hostname;
  } catch {
    return '';
  }
}

export function domainToUnicode(domain: string): string {
  try {
    return punycode.toUnicode(domain);
  } catch {
    return domain;
  }
}

export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
