import { createHash } from 'node:crypto';
import { type DocumentNode, Kind, type OperationDefinitionNode, print, type VariableNode, visit } from 'graphql';
import { type Access, listRights } from '../../../graphql/authenticate.ts';
import { formatCanonicalJson } from '../../../input/json-equality.ts';

/**
 * Operations with the same key have the same result for a change, apart from the cursor. Arguments of root fields only
 * select changes. Nothing about the caller but the rights affects the result.
 */
export function createOperationKey(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
  access: Access,
): string {
  const shown = withoutRootArguments(operation);
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  const used = new Set<string>();
  const visitor = { Variable: ({ name }: VariableNode) => void used.add(name.value) };
  for (const node of [shown.selectionSet, ...fragments]) visit(node, visitor);
  const variableDefinitions = (operation.variableDefinitions ?? []).filter(({ variable }) =>
    used.has(variable.name.value),
  );
  const definitions = [{ ...shown, variableDefinitions }, ...fragments];
  // An absent variable has its default, null has none.
  const values = Object.fromEntries(Object.entries(variables).filter(([name]) => used.has(name)));
  const text = formatCanonicalJson([definitions.map((definition) => print(definition)), values, listRights(access)]);
  return createHash('sha256').update(text).digest('base64url');
}

const withoutRootArguments = (operation: OperationDefinitionNode): OperationDefinitionNode => ({
  ...operation,
  selectionSet: {
    ...operation.selectionSet,
    selections: operation.selectionSet.selections.map((selection) =>
      selection.kind === Kind.FIELD ? { ...selection, arguments: [] } : selection,
    ),
  },
});
