import type { OwnField } from '../../users/fields/declaration.ts';
import { ownFields, subjectField } from '../../users/fields/values.ts';

/** The fields that people see in their own record. */
export const visibleFields = ownFields.filter(({ self }) => self === 'read' || self === 'write');

export const writableFields = ownFields.filter(({ self }) => self === 'write');

/** The functions of own records are deployed only with a declared subject. */
export function requireSubjectField(): OwnField {
  if (subjectField) return subjectField;
  throw new Error('No field is declared with subject');
}
