import { ServiceError } from '../../../../lib/client/client.ts';

/** Returns the first issue of a field, as the API words it. A value that another user has is an issue of its field. */
export function findFieldError(error: unknown, field: string): string | undefined {
  if (!(error instanceof ServiceError)) return undefined;
  const issue = error.issues.find(({ path }) => path.includes(field));
  const item = issue?.path.at(-1);
  return typeof item === 'number' ? `Item ${item + 1} ${issue?.message}` : issue?.message;
}

/** Returns the message of an error that belongs to none of the fields. */
export function findFormError(error: unknown, fields: string[]): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return fields.some((field) => findFieldError(error, field)) ? undefined : error.message;
}
