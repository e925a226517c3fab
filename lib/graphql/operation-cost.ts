import { GraphQLError } from 'graphql';
import { type ComplexityEstimator, getComplexity } from 'graphql-query-complexity';
import { schema } from './schema/schema.ts';
import type { Operation } from './validate-operation.ts';

const MAX_COST = 5000;
/** The assumed length of a list without `first`. The read budget bounds its real length. */
const DEFAULT_LIST_SIZE = 20;

/** A field costs 1; a list costs 1 plus the cost of an item times the number of items. */
const estimators: ComplexityEstimator[] = [
  ({ args, field, childComplexity }) => {
    const isList = 'first' in args || field.args.some(({ name }) => name === 'first');
    return 1 + childComplexity * (isList ? Math.max(1, args.first ?? DEFAULT_LIST_SIZE) : 1);
  },
];

/** Throws a GraphQLError if the operation costs more than MAX_COST, or if its fragments are too many to calculate the cost. */
export function assertOperationCost({ document, variables, operationName }: Operation): void {
  const cost = getComplexity({
    schema,
    query: document,
    estimators,
    variables: variables ?? {},
    ...(operationName ? { operationName } : {}),
  });
  if (cost <= MAX_COST) return;
  throw new GraphQLError(
    `The operation costs ${cost}, which is more than ${MAX_COST}; select fewer fields or a smaller first`,
  );
}
