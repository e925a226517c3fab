import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  type ValidationContext,
} from 'graphql';
import { type ComplexityEstimator, getComplexity } from 'graphql-query-complexity';

export const MAX_TOKENS = 1000;
const MAX_COST = 5000;
/** What a list without `first` is taken to hold. */
const DEFAULT_LIST_SIZE = 20;

const report = {
  propagateOnRejection: false,
  onReject: [(context: ValidationContext | null, error: GraphQLError) => context?.reportError(error)],
};

export const limitRules = [
  maxDepthRule({ n: 10, flattenFragments: true, ...report }),
  maxAliasesRule({ n: 15, ...report }),
];

/** Each field costs 1, and a list what one of its items costs, times how many it may hold. */
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

/** Throws where answering would cost more than MAX_COST fields. */
export function assertQueryCost(schema: GraphQLSchema, { query, variables = {}, operationName }: Operation): void {
  const operation = getOperationAST(query, operationName);
  // Without an operation, or with variables that do not fit it, the execution says what is wrong.
  if (!operation || getVariableValues(schema, operation.variableDefinitions ?? [], variables).errors) return;
  const cost = getComplexity({ schema, query, estimators, variables, ...(operationName ? { operationName } : {}) });
  if (cost <= MAX_COST) return;
  throw new GraphQLError(
    `The operation costs ${cost}, more than ${MAX_COST}: ask for fewer fields or a smaller first`,
    {
      extensions: { code: 'GRAPHQL_VALIDATION_FAILED', http: { status: 400 } },
    },
  );
}
