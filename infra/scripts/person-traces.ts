import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../lib/dynamodb/client.ts';
import type { Item } from '../../lib/dynamodb/keys.ts';
import { tryParseChangeEntry } from '../../lib/features/change-log/entry.ts';
import { readEpochs } from '../../lib/features/change-log/epochs.ts';
import { readStoredEntries } from '../../lib/features/change-log/read.ts';
import { MIN_POSITION, userTopic } from '../../lib/features/change-log/topics.ts';
import { dropIgnorable } from '../../lib/input/text.ts';
import { findUser } from '../../lib/users/read.ts';

/** An email address identifies a person in any item, a name only in items that also contain the id. */
export type Identity = { id: string; emails: Set<string>; names: Set<string> };

/** Returns current and former addresses and names. */
export async function readIdentity(id: string): Promise<Identity> {
  const versions: (Item | null | undefined)[] = [{ ...(await findUser(id)) }];
  for (const epoch of await readEpochs())
    for await (const item of readStoredEntries(userTopic(id, epoch), MIN_POSITION)) {
      const change = tryParseChangeEntry(item);
      versions.push(change?.item, change?.before);
    }
  const collect = (name: 'email' | 'name') =>
    new Set(versions.flatMap((version) => (typeof version?.[name] === 'string' ? [fold(version[name])] : [])));
  return { id, emails: collect('email'), names: collect('name') };
}

export const isKnown = ({ emails, names }: Identity): boolean => emails.size + names.size > 0;

const fold = (text: string) => dropIgnorable(text).normalize('NFKD').toLowerCase();

export async function findTraces(identities: Identity[]): Promise<{ scanned: number; traces: string[] }> {
  const traces: string[] = [];
  let scanned = 0;
  for await (const { Items = [] } of paginateScan({ client: table }, { TableName, ConsistentRead: true })) {
    scanned += Items.length;
    for (const item of Items) {
      const text = fold(JSON.stringify(item));
      if (identities.some((identity) => isNamedIn(text, identity))) traces.push(`${item.pk} ${item.sk}`);
    }
  }
  return { scanned, traces };
}

function isNamedIn(text: string, { id, emails, names }: Identity): boolean {
  const has = (word: string) => text.includes(fold(JSON.stringify(word)).slice(1, -1));
  return [...emails].some(has) || (text.includes(id) && [...names].some(has));
}
