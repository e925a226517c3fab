import type { OwnField } from '../../users/fields/declaration.ts';
import { ownFields, subjectField } from '../../users/fields/values.ts';

export const visibleFields = ownFields.filter(({ self }) => self === 'read' || self === 'write');

export const writableFields = ownFields.filter(({ self }) => self === 'write');

/** Operations on own records exist only if a subject field is declared. */
export function requireSubjectField(): OwnField {
  if (subjectField) return subjectField;
  throw new Error('No field is declared with subject');
}
