import punycode from 'punycode.js';
import { ownFields } from './console/own-fields.ts';

/**
 * Replaces Node.js modules and `lib/environment.ts` in the service's validation code, which the pages' build bundles.
 * The console thus checks import files by the service's rules.
 */
export const environment = {
  /** Called when the module of the declared fields loads, which happens after the console's settings have loaded. */
  readOwnFields: (): Record<string, unknown> =>
    Object.fromEntries(ownFields.get().map(({ name, ...declaration }) => [name, declaration])),
};

export const Buffer = { byteLength: (text: string): number => new TextEncoder().encode(text).length };

/** Returns the same as Node.js's function: https://url.spec.whatwg.org/#hostname-state */
export function domainToASCII(domain: string): string {
  try {
    return new URL(`ws://${domain}`).hostname;
  } catch {
    return '';
  }
}

/** Returns an undecodable domain unchanged, as Node.js does. */
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
