import { type Item, type Key, searchKey } from '../../dynamodb/keys.ts';
import type { User } from '../schema.ts';
import { listPlaces } from './text.ts';

/** An item of the index: what a list shows of a user, under one of the texts that the user is found by. */
export type Entry = Item & { pk: string; sk: string; version: number };

/** Times are numbers, so that a page of 20 matches fits into 4 KB, which is half a read unit. */
export function createEntries(user: User): Entry[] {
  const { id, name, email, version } = user;
  const times = { createdAt: Date.parse(user.createdAt), updatedAt: Date.parse(user.updatedAt) };
  return listPlaces(user).map(({ prefix, text }) => ({
    ...searchKey(prefix, text, id),
    name,
    email,
    version,
    ...times,
  }));
}

/** The keys of the entries. */
export const listKeys = (user: Pick<User, 'id' | 'name' | 'email'>): Key[] =>
  listPlaces(user).map(({ prefix, text }) => searchKey(prefix, text, user.id));

/** Late records of the stream may still write entries of older versions: longer than the stream keeps its records. */
const TOMBSTONE_RETENTION_SECONDS = 48 * 3600;

/** Stands for an entry that was removed, so that no older version brings it back. */
export const createTombstone = ({ pk, sk }: Pick<Entry, 'pk' | 'sk'>, version: number): Entry => ({
  pk,
  sk,
  version,
  expiresAt: Math.floor(Date.now() / 1000) + TOMBSTONE_RETENTION_SECONDS,
});
