import { ClientError } from '../../../../lib/client/client.ts';
import { labelMember } from '../own-fields.ts';

export function findFieldError(error: unknown, field: string): string | undefined {
  if (!(error instanceof ClientError)) return undefined;
  // A path may begin with a row's index, and end with an index or key within the value.
  const issue = error.issues.find(({ path }) => path.find((part) => typeof part === 'string') === field);
  const inside = issue?.path.slice(issue.path.indexOf(field) + 1) ?? [];
  const [item] = inside;
  if (typeof item === 'number' && inside.length === 1) return `Item ${item + 1} ${issue?.message}`;
  if (inside.length > 0) return `${labelMember(field)}: ${inside.join('.')} ${issue?.message}`;
  // Completes messages such as "must be …".
  return issue && /^(must|is) /.test(issue.message) ? `${labelMember(field)} ${issue.message}` : issue?.message;
}

export function findFormError(error: unknown, fields: string[]): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return fields.some((field) => findFieldError(error, field)) ? undefined : error.message;
}
