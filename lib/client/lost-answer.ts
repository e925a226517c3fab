import { ClientError, isNotFound, wasRetried } from './errors.ts';
import type { Transport, TypedDocument } from './transport.ts';

/** Handles the error of a deletion. Ignores NOT_FOUND if an earlier attempt, with a lost answer, may have deleted it. */
export function ignoreDeleted(error: unknown): void {
  if (!(isNotFound(error) && wasRetried(error))) throw error;
}

/** True if this user could be the result of a write with a lost answer. `sent` has null for cleared fields. */
export async function isWritten(
  user: object,
  sent: object,
  url: string,
  transport: Transport,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const stored = new Map<string, unknown>(Object.entries(user));
  const members = Object.entries<unknown>(JSON.parse(JSON.stringify(sent)));
  const others = members.filter(([name, value]) => !isStored(stored.get(name) ?? null, value));
  if (others.length === 0) return true;
  if (others.some(([, value]) => value !== null)) return false;
  // A cleared field may have another value than null: its default.
  const withDefault = await listFieldsWithDefault(url, transport, signal).catch((error: unknown): string[] => {
    // Callers without access to GraphQL get a conflict, which is safe even if needless.
    if (error instanceof ClientError) return [];
    throw error;
  });
  return others.every(([name]) => withDefault.includes(name));
}

/** Lists fields that are non-null in GraphQL: only fields with a default are. */
async function listFieldsWithDefault(
  url: string,
  { execute }: Transport,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const { user } = await execute(url, { query: userFieldsDocument }, { signal });
  return user.fields.filter(({ type }) => type.kind === 'NON_NULL').map(({ name }) => name);
}

type UserFields = { user: { fields: { name: string; type: { kind: string } }[] } };

export const userFieldsDocument: TypedDocument<
  UserFields,
  Record<string, never>
> = 'query UserFields { user: __type(name: "User") { fields(includeDeprecated: true) { name type { kind } } } }';

const TIME = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/i;

/** The service may trim texts, and convert line breaks to `\n` and times to UTC. */
export function isStored(stored: unknown, sent: unknown): boolean {
  if (Array.isArray(sent))
    return (
      Array.isArray(stored) && stored.length === sent.length && sent.every((item, at) => isStored(stored[at], item))
    );
  if (typeof sent === 'object' && sent !== null) return isStoredObject(stored, sent);
  if (typeof sent !== 'string' || typeof stored !== 'string') return stored === sent;
  const time = TIME.test(sent) ? Date.parse(sent) : Number.NaN;
  const text = sent.replaceAll('\r\n', '\n');
  const texts = [sent, sent.trim(), text, text.trim()];
  return texts.includes(stored) || (!Number.isNaN(time) && stored === new Date(time).toISOString());
}

function isStoredObject(stored: unknown, sent: object): boolean {
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) return false;
  const members = new Map<string, unknown>(Object.entries(stored));
  const sentMembers = Object.entries(sent);
  return (
    members.size === sentMembers.length &&
    sentMembers.every(([name, value]) => members.has(name) && isStored(members.get(name), value))
  );
}
