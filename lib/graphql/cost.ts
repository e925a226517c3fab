import {
  type DocumentNode,
  GraphQLError,
  getIntrospectionQuery,
  isEnumType,
  isInputObjectType,
  isObjectType,
  parse,
} from 'graphql';
import { type ComplexityEstimator, type ComplexityEstimatorArgs, getComplexity } from 'graphql-query-complexity';
import { sizes } from '../sizes.ts';
import { MAX_FIRST } from './schema/connection.ts';
import { schema } from './schema/schema.ts';

const MAX_COST = 5000;
/** Assumed length of lists without `first`. The budget limits the real length. */
const DEFAULT_LIST_SIZE = 20;
/** Cost of the standard introspection query. Other introspection costs proportionally. */
const FULL_INTROSPECTION_COST = 2000;
/** Introspection keys of this length cost as much as one field. */
const KEY_LENGTH = 32;

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
  if (['__schema', '__type'].includes(field.field.name)) return field.childComplexity * findIntrospectionFactor();
  return 1 + field.childComplexity * Math.max(1, findListSize(field));
};

/** Limits the size, because resolvers reject longer lists before they read. */
function findListSize({ field, args }: ComplexityEstimatorArgs): number {
  if (Array.isArray(args.ids)) return Math.min(args.ids.length, sizes.batchGet);
  return field.args.some(({ name }) => name === 'first') ? Math.min(args.first ?? DEFAULT_LIST_SIZE, MAX_FIRST) : 1;
}

// Both are computed on first use, because a cold start rarely needs them.
let listSizes: Record<string, number> | undefined;
let introspectionFactor: number | undefined;

function estimateIntrospection({ field, node, childComplexity }: ComplexityEstimatorArgs): number {
  listSizes ??= measureLists();
  const key = (node.alias ?? node.name).value;
  return 1 + key.length / KEY_LENGTH + childComplexity * (listSizes[field.name] ?? 1);
}

/** Returns the average length of each list in introspection. `ofType`: assumes that half of all types are wrapped. */
function measureLists(): Record<string, number> {
  const types = Object.values(schema.getTypeMap());
  const objects = types.filter(isObjectType);
  const inputs = types.filter(isInputObjectType);
  const enums = types.filter(isEnumType);
  const fields = objects.flatMap((type) => Object.values(type.getFields()));
  const average = (items: unknown[], owners: unknown[]) => items.length / Math.max(1, owners.length);
  return {
    types: types.length,
    directives: schema.getDirectives().length,
    fields: average(fields, objects),
    args: average(
      fields.flatMap(({ args }) => args),
      fields,
    ),
    inputFields: average(
      inputs.flatMap((type) => Object.values(type.getFields())),
      inputs,
    ),
    enumValues: average(
      enums.flatMap((type) => type.getValues()),
      enums,
    ),
    interfaces: 0,
    possibleTypes: 0,
    ofType: 0.5,
  };
}

function findIntrospectionFactor(): number {
  introspectionFactor ??=
    FULL_INTROSPECTION_COST /
    getComplexity({ schema, query: parse(getIntrospectionQuery()), estimators: [estimateIntrospection] });
  return introspectionFactor;
}
