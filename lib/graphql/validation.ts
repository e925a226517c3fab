import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import {
  coerceInputValue,
  type DocumentNode,
  type FloatValueNode,
  GraphQLError,
  GraphQLID,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  getVariableValues,
  type IntValueNode,
  isInputType,
  NoDeprecatedCustomRule,
  specifiedRules,
  typeFromAST,
  type ValidationContext,
  type ValidationRule,
  type VariableDefinitionNode,
  validate,
} from 'graphql';
import { INEXACT_NUMBER, isExactNumber } from '../input/exact-json.ts';
import { assertOperationCost, type Operation } from './cost.ts';
import { httpError } from './errors.ts';
import { schema } from './schema/schema.ts';

/**
 * Maximum size of a document, enough for 1000 tokens. Also limits aliases and names, which the response repeats for
 * every item.
 */
const MAX_BYTES = 20_000;
export const MAX_TOKENS = 1000;
const MAX_DEPTH = 10;
const MAX_ALIASES = 15;
/** Responses repeat aliases as keys, and in the path of each error. */
const MAX_NAME_LENGTH = 500;

const report = {
  propagateOnRejection: false,
  onReject: [
    // Removes the prefix `Syntax Error`, because these rules report an exceeded limit as a syntax error.
    (context: ValidationContext | null, { message }: GraphQLError) =>
      context?.reportError(new GraphQLError(message.replace(/^Syntax Error: /, ''))),
  ],
};

const maxNameLengthRule: ValidationRule = (context) => ({
  Name(node) {
    const { length } = node.value;
    if (length <= MAX_NAME_LENGTH) return;
    const message = `Name length limit of ${MAX_NAME_LENGTH} exceeded, found ${length}.`;
    context.reportError(new GraphQLError(message, { nodes: node }));
  },
});

/** An ID keeps the text of a number. */
const exactNumberRule: ValidationRule = (context) => {
  const check = (node: FloatValueNode | IntValueNode) => {
    if (isExactNumber(node.value) || getNamedType(context.getInputType()) === GraphQLID) return;
    context.reportError(
      new GraphQLError(`The number ${INEXACT_NUMBER}`, { nodes: node, extensions: { code: 'BAD_USER_INPUT' } }),
    );
  };
  return { IntValue: check, FloatValue: check };
};

const limitRules = [
  maxDepthRule({ n: MAX_DEPTH, flattenFragments: true, ...report }),
  maxAliasesRule({ n: MAX_ALIASES, ...report }),
  maxNameLengthRule,
];

/** Call before parsing, because a parsed document is much larger. */
export function assertDocumentSize(document: string): void {
  const bytes = Buffer.byteLength(document);
  if (bytes <= MAX_BYTES) return;
  throw httpError(400, 'GRAPHQL_PARSE_FAILED', `The document has ${bytes} bytes, which is more than ${MAX_BYTES}`);
}

/** Returns the errors of the document, else the first error of the variables, else excessive cost. */
export function validateOperation(request: Operation): readonly GraphQLError[] {
  try {
    const errors = validateDocument(request.document);
    const operation = getOperationAST(request.document, request.operationName);
    // A missing operation is reported by the execution.
    if (errors.length > 0 || !operation) return errors;
    assertVariables(operation.variableDefinitions ?? [], request.variables ?? {});
    assertOperationCost(request);
    return [];
  } catch (error) {
    // Return errors that rules of graphql-js throw, e.g. for @include at the root of a subscription.
    if (error instanceof GraphQLError) return [error];
    throw error;
  }
}

/** Maximum errors per document. If there are more, graphql-js adds an error that says so. */
const MAX_ERRORS = 5;

const validDocuments = new WeakSet<DocumentNode>();

function validateDocument(document: DocumentNode): readonly GraphQLError[] {
  if (validDocuments.has(document)) return [];
  const errors = validate(schema, document, rules, { maxErrors: MAX_ERRORS });
  if (errors.length === 0) validDocuments.add(document);
  return errors;
}

/** Rejects @skip and @include: https://spec.graphql.org/September2025/#sec-Single-Root-Field */
const unconditionalRootField: ValidationRule = (context) => ({
  Directive(node) {
    if (!['skip', 'include'].includes(node.name.value)) return;
    if (context.getParentType() !== context.getSchema().getSubscriptionType()) return;
    const message = `The root field of a subscription must not have @${node.name.value}`;
    context.reportError(new GraphQLError(message, { nodes: node }));
  },
});

const rules = [...specifiedRules, ...limitRules, unconditionalRootField, exactNumberRule];

/**
 * Throws BAD_USER_INPUT for the first error. graphql-js would collect 50 errors that each print the whole value. Apollo
 * would treat another added error as internal.
 */
function assertVariables(definitions: readonly VariableDefinitionNode[], variables: Record<string, unknown>): void {
  for (const definition of definitions) assertValue(definition, variables);
  // Finds required variables that are missing or null.
  const { errors: [error] = [] } = getVariableValues(schema, definitions, variables, { maxErrors: 1 });
  if (error) throw invalidVariable(error.message, error.nodes);
}

function assertValue(definition: VariableDefinitionNode, variables: Record<string, unknown>): void {
  const { value: name } = definition.variable.name;
  const type = typeFromAST(schema, definition.type);
  const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
  if (value == null || !isInputType(type)) return;
  coerceInputValue(value, type, (path, _, { message }) => {
    const place = path.length > 0 ? ` at "${name}${path.map(formatKey).join('')}"` : '';
    throw invalidVariable(`Variable "$${name}" got invalid value${place}; ${message}`, [definition]);
  });
}

const formatKey = (key: string | number) => (typeof key === 'number' ? `[${key}]` : `.${key}`);

const invalidVariable = (message: string, nodes: GraphQLError['nodes']) =>
  new GraphQLError(message, { nodes: nodes ?? null, extensions: { code: 'BAD_USER_INPUT' } });

const deprecations = new WeakMap<DocumentNode, string[]>();

export function findDeprecations(schema: GraphQLSchema, document: DocumentNode): string[] {
  const known = deprecations.get(document) ?? [
    ...new Set(validate(schema, document, [NoDeprecatedCustomRule]).map(({ message }) => message)),
  ];
  deprecations.set(document, known);
  return known;
}
