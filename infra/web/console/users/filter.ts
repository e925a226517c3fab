import type { OwnField } from '../../../../lib/users/fields/declaration.ts';
import { isSearch } from '../api/users.ts';
import { ownFields } from '../own-fields.ts';
import type { Route } from '../route.ts';

/** A list shows the matches of a search, or the user who has a value of a unique field. */
type Filter = { q: string; by?: OwnField };

export const listUniqueFields = (): OwnField[] => ownFields.get().filter(({ unique }) => unique);

export const findUniqueField = (name: string | undefined): OwnField | undefined =>
  listUniqueFields().find((field) => field.name === name);

/** Returns undefined if all users are listed. A link may name a field that is not declared any more. */
export function findFilter({ q, by }: Pick<Route, 'q' | 'by'>): Filter | undefined {
  const field = findUniqueField(by);
  if (field) return q ? { q, by: field } : undefined;
  return isSearch(q) ? { q } : undefined;
}
