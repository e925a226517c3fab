/** Returns the lowest UUID at a Unix time, which is in the first 48 bits (RFC 9562 section 5.7). */
export function minUuidAt(milliseconds: number): string {
  const time = Math.max(0, milliseconds).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

/** Returns the Unix time of a UUID in ms. */
export const parseUuidTime = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
