import { GraphQLError } from 'graphql';

/** Why nothing was subscribed to: one answer for all errors. */
export class RequestError extends Error {
  readonly errors: readonly GraphQLError[];
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, errors: readonly GraphQLError[]) {
    super(errors[0]?.message);
    this.errors = errors;
    this.status = status;
    this.code = code;
  }
}

export const requestError = (status: number, code: string, message: string) =>
  new RequestError(status, code, [new GraphQLError(message)]);
