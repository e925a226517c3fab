import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  type ValidationContext,
} from 'graphql';
import { type ComplexityEstimator, getComplexity } from 'graphql-query-complexity';
import { requestError } from './request-error.ts';

export const MAX_TOKENS = 1000;
const MAX_COST = 5000;
/** The assumed length of a list without `first`. */
const DEFAULT_LIST_SIZE = 20;

const report = {
  propagateOnRejection: false,
  onReject: [(context: ValidationContext | null, error: GraphQLError) => context?.reportError(error)],
};

export const limitRules = [
  maxDepthRule({ n: 10, flattenFragments: true, ...report }),
  maxAliasesRule({ n: 15, ...report }),
];

/** A field costs 1; a list costs 1 plus the cost of an item times the number of items. */
const estimators: ComplexityEstimator[] = [
  ({ args, field, childComplexity }) => {
    const isList = 'first' in args || field.args.some(({ name }) => name === 'first');
    return 1 + childComplexity * (isList ? Math.max(1, args.first ?? DEFAULT_LIST_SIZE) : 1);
  },
];

type Operation = {
  query: DocumentNode;
  variables?: Record<string, unknown> | undefined;
  operationName?: string | null | undefined;
};

/** Throws if the operation costs more than MAX_COST. */
export function assertQueryCost(schema: GraphQLSchema, { query, variables = {}, operationName }: Operation): void {
  const operation = getOperationAST(query, operationName);
  // Execution reports a missing operation and invalid variables.
  if (!operation || getVariableValues(schema, operation.variableDefinitions ?? [], variables).errors) return;
  const cost = getComplexity({ schema, query, estimators, variables, ...(operationName ? { operationName } : {}) });
  if (cost <= MAX_COST) return;
  const message = `The operation costs ${cost}, which is more than ${MAX_COST}; select fewer fields or a smaller first`;
  throw requestError(400, 'GRAPHQL_VALIDATION_FAILED', message);
}
