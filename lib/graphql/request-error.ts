import { GraphQLError } from 'graphql';

/** Rejects a whole request before it is executed. Apollo, too, takes status and headers from `extensions.http`. */
export const requestError = (status: number, code: string, message: string, headers: Record<string, string> = {}) =>
  new GraphQLError(message, { extensions: { code, http: { status, headers: new Map(Object.entries(headers)) } } });

/** The errors that graphql-js found in one request, and the code for those without one. */
export class RequestError extends Error {
  readonly errors: readonly GraphQLError[];
  readonly code: string;

  constructor(code: string, errors: readonly GraphQLError[]) {
    super(errors[0]?.message);
    this.errors = errors;
    this.code = code;
  }
}
