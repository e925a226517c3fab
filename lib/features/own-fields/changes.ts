import { Buffer } from 'node:buffer';
import { invalidInput } from '../../errors.ts';
import type { FieldValue } from './declaration.ts';
import { type OwnMembers, type OwnValues, ownFields, resolveFields } from './declared.ts';

// Separate from inputs.ts, because functions that validate no input write users without zod.

/** The changes of own fields by name: null clears. */
type OwnChanges = Record<string, FieldValue | null>;

/** Picks the own fields of an input that was parsed with the schemas of inputs.ts. */
export function pickOwnFields(input: object): OwnChanges {
  const members = new Map(Object.entries(input));
  return Object.fromEntries(
    ownFields.flatMap(({ name }) => (members.get(name) === undefined ? [] : [[name, members.get(name)]])),
  );
}

/** The members of an input that clears all fields. */
export const clearedFields: OwnChanges = Object.fromEntries(ownFields.map(({ name }) => [name, null]));

/** The shown values of a user together, in UTF-8. A user is an item of one page of the index, and is copied into the log of changes. */
const MAX_BYTES = 8192;

/** Changes the own fields of a user as an input says. Throws BAD_USER_INPUT if all values together are too large. */
export const changeFields = (user: Partial<OwnMembers>, input: object): OwnMembers =>
  resolveFields(changeValues(user.fields, pickOwnFields(input)));

/** Values of fields that are no longer declared stay. */
export function changeValues(values: OwnValues | undefined, changes: OwnChanges): OwnValues | undefined {
  if (Object.keys(changes).length === 0) return values;
  const changed = Object.fromEntries(Object.entries({ ...values, ...changes }).filter(([, value]) => value !== null));
  checkSize(values, changed, changes);
  const isEmpty = Object.keys(changed).length === 0;
  return isEmpty && values === undefined ? undefined : changed;
}

/** A user whose values are too large, because a field was declared again, can be changed as long as the values do not grow. */
function checkSize(before: OwnValues | undefined, after: OwnValues, changes: OwnChanges): void {
  const bytes = countBytes(after);
  if (bytes <= MAX_BYTES || bytes <= countBytes(before)) return;
  const [largest] = Object.entries(changes)
    .map(([name, value]) => ({ name, size: measureBytes(value) }))
    .toSorted((one, other) => other.size - one.size);
  throw invalidInput(
    largest ? [largest.name] : [],
    `takes ${largest?.size} bytes: all own fields of a user together would take ${bytes}, which is more than ${MAX_BYTES}`,
  );
}

/** Hidden values do not count: those of fields that are no longer declared, or that had another type. */
function countBytes(values: OwnValues = {}): number {
  const shown = Object.entries(resolveFields(values).own).filter(([name, value]) => value === values[name]);
  return measureBytes(Object.fromEntries(shown));
}

const measureBytes = (value: object | FieldValue | null): number => Buffer.byteLength(JSON.stringify(value));
