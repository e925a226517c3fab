import * as z from 'zod/mini';
import { valueTaken } from '../../../../lib/errors.ts';

const issues = z.array(z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() }));

type Issue = z.infer<typeof issues>[number];

/** Either API has answered with an error. `status` is that of REST; GraphQL's codes are mapped to it. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  readonly issues: Issue[];

  constructor(status: number, message: string, issues: Issue[] = []) {
    super(message);
    this.status = status;
    this.issues = issues;
  }
}

/** Returns whether the user has changed since the version that the request named. */
export const isVersionMismatch = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status === 412;

export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

const STATUSES: Record<string, number> = {
  BAD_USER_INPUT: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  PRECONDITION_FAILED: 412,
  SERVICE_UNAVAILABLE: 503,
};

const extensions = z.object({ code: z.optional(z.string()), issues: z.optional(issues) });
const graphqlErrors = z.object({
  errors: z.array(z.object({ message: z.string(), extensions: z.optional(extensions) })),
});

/** Returns the first error of a GraphQL result, if it has one. */
export function findGraphqlError(body: unknown): ApiError | undefined {
  const error = graphqlErrors.safeParse(body).data?.errors[0];
  return error && new ApiError(STATUSES[error.extensions?.code ?? ''] ?? 500, error.message, error.extensions?.issues);
}

/** REST errors are `{ error, issues }`; those of API Gateway itself are `{ message }`. */
const restError = z.object({
  error: z.optional(z.string()),
  message: z.optional(z.string()),
  issues: z.optional(issues),
});

export function fromRestError(status: number, body: unknown): ApiError {
  const { error, message, issues } = restError.safeParse(body).data ?? {};
  return new ApiError(status, error ?? message ?? `The service answered ${status}`, issues);
}

/** The service has the status 409 for concurrent changes, too, and issues only for 400. */
const isTaken = (error: ApiError, field: string) => error.message === valueTaken(field).message;

/** Returns the first issue of a field, as the API words it. A value that is taken is an issue of its field. */
export function findFieldError(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (isTaken(error, field)) return error.message;
  const issue = error.issues.find(({ path }) => path.includes(field));
  const item = issue?.path.at(-1);
  return typeof item === 'number' ? `Item ${item + 1} ${issue?.message}` : issue?.message;
}

/** Returns the message of an error that belongs to none of the fields. */
export function findFormError(error: unknown, fields: string[]): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return fields.some((field) => findFieldError(error, field)) ? undefined : error.message;
}
