import { type DocumentNode, GraphQLError, getNullableType, isListType } from 'graphql';
import { type ComplexityEstimator, type ComplexityEstimatorArgs, getComplexity } from 'graphql-query-complexity';
import { sizes } from '../sizes.ts';
import { MAX_FIRST } from './schema/connection.ts';
import { schema } from './schema/schema.ts';

const MAX_COST = 5000;
/** Assumed length of lists without `first`. The budget limits the real length. */
const DEFAULT_LIST_SIZE = 20;
/** Assumed length of lists in introspection: the standard introspection query costs 3900. */
const INTROSPECTION_LIST_SIZE = 3;
/** Introspection keys of this length cost as much as one field. */
const KEY_LENGTH = 8;

export type Operation = {
  document: DocumentNode;
  variables?: Record<string, unknown> | null | undefined;
  operationName?: string | null | undefined;
};

/** Throws a GraphQLError above MAX_COST, or if too many fragments prevent the calculation. */
export function assertOperationCost({ document, variables, operationName }: Operation): void {
  const cost = getComplexity({
    schema,
    query: document,
    estimators: [estimateCost],
    variables: variables ?? {},
    ...(operationName ? { operationName } : {}),
  });
  if (cost <= MAX_COST) return;
  throw new GraphQLError(
    `The operation costs ${Math.ceil(cost)}, which is more than ${MAX_COST}; select fewer fields or a smaller first`,
  );
}

const estimateCost: ComplexityEstimator = (field) => {
  if (field.type.name.startsWith('__')) return estimateIntrospection(field);
  return 1 + field.childComplexity * Math.max(1, findListSize(field));
};

/** Limits the size, because resolvers reject longer lists before they read. */
function findListSize({ field, args }: ComplexityEstimatorArgs): number {
  const keys = args.ids ?? args.emails;
  if (Array.isArray(keys)) return Math.min(keys.length, sizes.batchGet);
  return field.args.some(({ name }) => name === 'first') ? Math.min(args.first ?? DEFAULT_LIST_SIZE, MAX_FIRST) : 1;
}

/** Long keys count, because the response repeats them in every item. */
const estimateIntrospection = ({ field, node, childComplexity }: ComplexityEstimatorArgs): number =>
  1 +
  (node.alias ?? node.name).value.length / KEY_LENGTH +
  childComplexity * (isListType(getNullableType(field.type)) ? INTROSPECTION_LIST_SIZE : 1);
