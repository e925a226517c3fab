import { Kind, type OperationDefinitionNode, parse } from 'graphql';

/**
 * The operation that a document is run for. Just after a tab is opened, GraphiQL passes the name of the operation of
 * the tab before: then it is the first one. Undefined if the document cannot be parsed.
 */
export function findOperation(query: string, name: string | null | undefined): OperationDefinitionNode | undefined {
  try {
    const operations = parse(query).definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
    return operations.find((operation) => operation.name?.value === name) ?? operations[0];
  } catch {
    return undefined;
  }
}
