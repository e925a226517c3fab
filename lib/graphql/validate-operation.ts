import { type DocumentNode, GraphQLError, specifiedRules, type ValidationRule, validate } from 'graphql';
import { limitRules } from './document-limits.ts';
import { assertOperationCost } from './operation-cost.ts';
import { schema } from './schema/schema.ts';

export type Operation = {
  document: DocumentNode;
  variables?: Record<string, unknown> | null | undefined;
  operationName?: string | null | undefined;
};

/** All errors of the document, or the one of an operation that costs too much. */
export function validateOperation(operation: Operation): readonly GraphQLError[] {
  try {
    const errors = validateDocument(operation.document);
    if (errors.length === 0) assertOperationCost(operation);
    return errors;
  } catch (error) {
    // Some rules of graphql-js throw instead of reporting, e.g. for @include at the root of a subscription.
    if (error instanceof GraphQLError) return [error];
    throw error;
  }
}

const validDocuments = new WeakSet<DocumentNode>();

/** Validates a document that is executed again only once. */
function validateDocument(document: DocumentNode): readonly GraphQLError[] {
  if (validDocuments.has(document)) return [];
  const errors = validate(schema, document, rules);
  if (errors.length === 0) validDocuments.add(document);
  return errors;
}

/** https://spec.graphql.org/September2025/#sec-Single-Root-Field */
const unconditionalRootField: ValidationRule = (context) => ({
  Directive(node) {
    if (!['skip', 'include'].includes(node.name.value)) return;
    if (context.getParentType() !== context.getSchema().getSubscriptionType()) return;
    const message = `The root field of a subscription must not have @${node.name.value}`;
    context.reportError(new GraphQLError(message, { nodes: node }));
  },
});

const rules = [...specifiedRules, ...limitRules, unconditionalRootField];
