import { ApiError } from './errors.ts';

/** The first issue of a field, as the API words it. An address that is taken is an issue of the address. */
export function findFieldError(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (error.status === 409 && field === 'email') return error.message;
  return error.issues.find(({ path }) => path.includes(field))?.message;
}

/** The message of an error that belongs to none of the fields. */
export function findFormError(error: unknown, fields: string[]): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return fields.some((field) => findFieldError(error, field)) ? undefined : error.message;
}
