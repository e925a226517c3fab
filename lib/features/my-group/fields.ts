import { environment } from '../../environment.ts';
import { membershipField, ownFields, subjectField } from '../../users/fields/values.ts';

/** True if groups have administrators. infra/own-fields/memberships.ts checks the settings. */
export const hasAdministrators =
  environment.groupClaim !== undefined && membershipField !== undefined && subjectField !== undefined;

export const visibleFields = ownFields.filter(({ groupAdmin }) => groupAdmin === 'read' || groupAdmin === 'write');

export const writableFields = ownFields.filter(({ groupAdmin }) => groupAdmin === 'write');
