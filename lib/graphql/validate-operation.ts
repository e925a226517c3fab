import {
  type DocumentNode,
  GraphQLError,
  getOperationAST,
  specifiedRules,
  type ValidationRule,
  validate,
} from 'graphql';
import { limitRules } from './document-limits.ts';
import { assertOperationCost } from './operation-cost.ts';
import { schema } from './schema/schema.ts';
import { assertVariables } from './variables.ts';

export type Operation = {
  document: DocumentNode;
  variables?: Record<string, unknown> | null | undefined;
  operationName?: string | null | undefined;
};

/** The first errors of the document, or the one of its variables, or of an operation that costs too much. */
export function validateOperation(request: Operation): readonly GraphQLError[] {
  try {
    const errors = validateDocument(request.document);
    const operation = getOperationAST(request.document, request.operationName);
    // Execution reports a missing operation.
    if (errors.length > 0 || !operation) return errors;
    assertVariables(operation.variableDefinitions ?? [], request.variables ?? {});
    assertOperationCost(request);
    return [];
  } catch (error) {
    // Some rules of graphql-js throw instead of reporting, e.g. for @include at the root of a subscription.
    if (error instanceof GraphQLError) return [error];
    throw error;
  }
}

/** Bounds the answer. graphql-js adds an error that says that there are more. */
const MAX_ERRORS = 5;

const validDocuments = new WeakSet<DocumentNode>();

/** Validates a document that is executed again only once. */
function validateDocument(document: DocumentNode): readonly GraphQLError[] {
  if (validDocuments.has(document)) return [];
  const errors = validate(schema, document, rules, { maxErrors: MAX_ERRORS });
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
