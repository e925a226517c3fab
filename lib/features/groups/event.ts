import type { Item } from '../../dynamodb/keys.ts';
import { environment } from '../../environment.ts';
import type { StreamRecord } from '../../on-change/stream-record.ts';
import type { CloudEvent } from '../events/cloud-event.ts';
import { type Group, parseStoredGroup, type StoredGroup, tryParseStoredGroup } from './group.ts';
import { isGroupKey, parseGroupId } from './keys.ts';

/** Names the queue of a group's events, which are sent in order. Undefined for other items. */
export const findGroupTopic = (pk = '', sk = ''): string | undefined => (isGroupKey({ pk, sk }) ? pk : undefined);

/**
 * Creates the event of a written group item. The group is deleted once its item is marked: the later removal of the item
 * gives no event. Undefined if readers see no change. Throws if the version after the change is damaged.
 */
export function createGroupEvent({
  key,
  before,
  after,
  streamedAt,
  sequenceNumber,
}: StreamRecord): CloudEvent | undefined {
  const old = before && tryParseStoredGroup(before);
  const next = after && parseStoredGroup(after);
  const change = findChange(old, next, new Date(streamedAt).toISOString());
  if (!change) return undefined;
  const { kind, at, version, by } = change;
  return {
    specversion: '1.0',
    id: `${key.pk}/${sequenceNumber.padStart(DIGITS, '0')}`,
    source: environment.eventSource,
    type: `group.${kind}`,
    subject: parseGroupId(key.pk),
    time: at,
    datacontenttype: 'application/json',
    data: {
      kind: KINDS[kind],
      id: parseGroupId(key.pk),
      version,
      by,
      before: old && !old.deletion ? describeGroup(old.group) : null,
      after: next && !next.deletion ? describeGroup(next.group) : null,
    },
  };
}

/** Digits of a sequence number, as in events of users. */
const DIGITS = 40;

const KINDS = { created: 'CREATED', updated: 'UPDATED', deleted: 'DELETED' } as const;

type Change = { kind: keyof typeof KINDS; at: string; version: number; by: string | null };

/** `at`: time of a removal by hand. */
function findChange(old: StoredGroup | undefined, next: StoredGroup | undefined, at: string): Change | undefined {
  if (!next) {
    // The job has removed the item of a deleted group. Its event was sent before.
    return old && !old.deletion ? { kind: 'deleted', at, version: old.group.version + 1, by: null } : undefined;
  }
  const { group, deletion } = next;
  const { version, updatedAt, by = null } = group;
  if (deletion) return old?.deletion ? undefined : { kind: 'deleted', at: deletion.at, version, by: deletion.by };
  if (!old) return { kind: version === 1 ? 'created' : 'updated', at: updatedAt, version, by };
  return old.group.version === version ? undefined : { kind: 'updated', at: updatedAt, version, by };
}

const describeGroup = ({ by: _, ...group }: Group): Item => group;
