import punycode from 'punycode.js';
import { ownFields } from './console/own-fields.ts';

/**
 * In browsers, this stands for what the validation of users takes from Node.js and from `lib/environment.ts`, so that the console
 * checks the rows of a file by the rules of the service. `build.ts` puts it in their place.
 */
export const environment = {
  /** They are read when the module of the declared fields is loaded: after the settings of the console. */
  readOwnFields: (): Record<string, unknown> =>
    Object.fromEntries(ownFields.get().map(({ name, ...declaration }) => [name, declaration])),
};

/** Texts are measured with it. */
export const Buffer = { byteLength: (text: string): number => new TextEncoder().encode(text).length };

/** Node.js does the same: https://url.spec.whatwg.org/#hostname-state */
export function domainToASCII(domain: string): string {
  try {
    return new URL(`ws://${domain}`).hostname;
  } catch {
    return '';
  }
}

/** Returns a domain that cannot be decoded as it is, as Node.js does. */
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
