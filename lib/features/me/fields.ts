import { isBlocking, type OwnField } from '../../users/fields/declaration.ts';
import { type OwnMembers, ownFields, subjectField } from '../../users/fields/values.ts';

export const visibleFields = ownFields.filter(({ self }) => self === 'read' || self === 'write');

export const writableFields = ownFields.filter(({ self }) => self === 'write');

/** Throws without a subject field, which all operations on own records need. */
export function requireSubjectField(): OwnField {
  if (subjectField) return subjectField;
  throw new Error('No field is declared with subject');
}

export const blockingFields = ownFields.filter(({ blocks }) => blocks);

/** True if an own field of the record has a value that blocks the person. */
export const isBlocked = ({ own }: Pick<OwnMembers, 'own'>): boolean =>
  blockingFields.some((field) => isBlocking(field, own[field.name]));
