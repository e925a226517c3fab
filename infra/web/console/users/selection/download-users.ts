import Papa from 'papaparse';
import type { User } from '../../api/users.ts';
import { BYTE_ORDER_MARK, CSV } from '../../csv-format.ts';
import { download } from '../../download.ts';

/** Downloads users with the columns, or members, of `npm run export`. */
export function downloadUsers(users: readonly User[], fields: readonly string[], format: 'csv' | 'ndjson'): void {
  const columns = ['id', 'name', 'email', ...fields, 'createdAt', 'updatedAt', 'version'];
  if (format === 'csv') {
    const rows = users.map((user) => columns.map((name) => toCell(new Map(Object.entries(user)).get(name))));
    download('users.csv', 'text/csv', [BYTE_ORDER_MARK, `${Papa.unparse([columns, ...rows], CSV)}\n`]);
  } else {
    const lines = users.map((user) => `${JSON.stringify(removeNulls(user))}\n`);
    download('users.ndjson', 'application/x-ndjson', lines);
  }
}

const toCell = (value: unknown): unknown => (Array.isArray(value) ? JSON.stringify(value) : (value ?? ''));

/** A field without a value is no member. */
const removeNulls = (user: User): object =>
  Object.fromEntries(Object.entries(user).filter(([, value]) => value !== null));
