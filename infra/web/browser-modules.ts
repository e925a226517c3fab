import punycode from 'punycode.js';
import { ownFields } from './console/own-fields.ts';

/** Replaces lib/environment.ts in the console, which checks import files with the service's code. */
export const environment = {
  /** Called after the settings of the console have loaded, which contain the own fields. */
  readOwnFields: (): Record<string, unknown> =>
    Object.fromEntries(ownFields.get().map(({ name, ...declaration }) => [name, declaration])),
};

export const Buffer = { byteLength: (text: string): number => new TextEncoder().encode(text).length };

/** Replaces the function of node:url: https://url.spec.whatwg.org/#hostname-state */
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
