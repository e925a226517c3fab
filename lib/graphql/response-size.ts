import { type FieldNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';

/** The selected fields by response key. Scalars have no selection. */
type Selection = Map<string, { name: string; selection: Selection }>;

/** For __typename, which no object has as a member. Fields with resolvers are measured by those. */
const MISSING_BYTES = '"User"'.length;

/** Executions of one operation pass the same nodes for every item of a list. */
const selections = new WeakMap<readonly FieldNode[], Selection>();

/**
 * The bytes that a value takes in the response, without the objects that have resolvers. Known before the
 * fields are resolved, so that a response that is too large is not built.
 */
export function measureResponse(value: unknown, { fieldNodes, fragments }: GraphQLResolveInfo): number {
  const selection = selections.get(fieldNodes) ?? collectFields(fieldNodes, fragments);
  selections.set(fieldNodes, selection);
  return measure(value, selection);
}

function measure(value: unknown, selection: Selection): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + measure(item, selection) + 1, 2);
  if (value === undefined) return MISSING_BYTES;
  if (typeof value !== 'object' || value === null) return Buffer.byteLength(JSON.stringify(value));
  const fields = value as Record<string, unknown>; // Any object can be read by name.
  let size = 2;
  for (const [key, { name, selection: child }] of selection)
    size += key.length + '"":,'.length + measure(fields[name], child);
  return size;
}

function collectFields(nodes: readonly FieldNode[], fragments: GraphQLResolveInfo['fragments']): Selection {
  const nodesByKey = new Map<string, FieldNode[]>();
  const visitedFragments = new Set<string>();
  const visit = ({ selections }: SelectionSetNode) => {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value;
        nodesByKey.set(key, [...(nodesByKey.get(key) ?? []), node]);
      } else if (node.kind === Kind.INLINE_FRAGMENT) visit(node.selectionSet);
      else if (!visitedFragments.has(node.name.value)) {
        visitedFragments.add(node.name.value);
        const fragment = fragments[node.name.value];
        if (fragment) visit(fragment.selectionSet);
      }
    }
  };
  for (const { selectionSet } of nodes) if (selectionSet) visit(selectionSet);
  return new Map(
    [...nodesByKey].map(([key, nodes]) => {
      const name = nodes[0]?.name.value ?? key;
      return [key, { name, selection: collectFields(nodes, fragments) }];
    }),
  );
}
