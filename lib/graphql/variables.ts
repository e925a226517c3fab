import {
  coerceInputValue,
  GraphQLError,
  getVariableValues,
  isInputType,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql';
import { schema } from './schema/schema.ts';

/**
 * Coerces variables as their execution does, up to the first error: graphql-js collects 50, prints the whole value in
 * each message, and makes the 51st one that Apollo takes for an internal error. Throws BAD_USER_INPUT.
 */
export function assertVariables(
  definitions: readonly VariableDefinitionNode[],
  variables: Record<string, unknown>,
): void {
  for (const definition of definitions) assertValue(definition, variables);
  // What is left are variables that are missing, or null although they must not be.
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
