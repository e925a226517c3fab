import type { OwnField } from '../../users/fields/declaration.ts';
import { ownFields, subjectField } from '../../users/fields/values.ts';

export const visibleFields = ownFields.filter(({ self }) => self === 'read' || self === 'write');

export const writableFields = ownFields.filter(({ self }) => self === 'write');

/** Throws without a subject field, which all operations on own records need. */
export function requireSubjectField(): OwnField {
  if (subjectField) return subjectField;
  throw new Error('No field is declared with subject');
}
