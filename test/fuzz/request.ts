/** Texts can contain references such as `USER_3_`, which `pool.ts` resolves. */
export type FuzzRequest = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Uint8Array | undefined;
};

/** The fuzzer closes event streams after their first bytes. */
export type FuzzResponse = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  bytes: number;
};

export function toCurl(url: string, { method, path, headers, body }: FuzzRequest): string {
  const quote = (text: string) => `$'${text.replace(/[\\']/g, '\\$&').replace(/[^\x20-\x7e]/g, escapeCharacter)}'`;
  const fields = Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`);
  const data = body === undefined ? [] : [`--data-binary ${quote(toText(body))}`];
  return ['curl -i --path-as-is -X', method, quote(url + path), ...fields, ...data].join(' ');
}

const toText = (body: string | Uint8Array) => Buffer.from(body as string).toString('latin1');

const escapeCharacter = (character: string) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
