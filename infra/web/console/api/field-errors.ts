import { emailTaken } from '../../../../lib/errors.ts';
import { ApiError } from './errors.ts';

/** The service has the status 409 for concurrent changes, too, and issues only for 400. */
const EMAIL_TAKEN = emailTaken().message;

/** The first issue of a field, as the API words it. An address that is taken is an issue of the address. */
export function findFieldError(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (error.message === EMAIL_TAKEN && field === 'email') return error.message;
  return error.issues.find(({ path }) => path.includes(field))?.message;
}

/** The message of an error that belongs to none of the fields. */
export function findFormError(error: unknown, fields: string[]): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return fields.some((field) => findFieldError(error, field)) ? undefined : error.message;
}
