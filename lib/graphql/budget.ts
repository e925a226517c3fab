import { type FieldNode, GraphQLError, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';
import type { User } from '../users/user.ts';

const MAX_ITEMS_READ = 10_000;
/** One read item can be returned many times, for example as the author of each post. */
const MAX_ITEMS_RETURNED = 20_000;
/** Lambda limits a buffered response to 6 MB. */
const MAX_BYTES_RETURNED = 5_000_000;

const MAX_ITEMS_WRITTEN = 100;

export const CLAIM_AND_USER = 2;

/**
 * Limits the items and bytes of a request: lists without `first` have any length, and a document can repeat mutations.
 */
export class Budget {
  #read = 0;
  #returned = 0;
  #bytes = 0;
  #written = 0;
  /** Shared by all fields, because thousands can fail. */
  #error: GraphQLError | undefined;

  /** Negative `items` release a reservation. Throws BAD_USER_INPUT, for 0 items only if the budget is exceeded. */
  spendRead(items: number): void {
    this.#read += items;
    this.assertNotExceeded();
  }

  /** Charges a result. Call this before the fields of its items are resolved. Throws BAD_USER_INPUT. */
  spendReturned<Value>(value: Value, info: GraphQLResolveInfo): Value {
    this.#returned += Array.isArray(value) ? value.length : 1;
    this.#bytes += measureResponse(value, info);
    this.assertNotExceeded();
    return value;
  }

  /** Throws BAD_USER_INPUT. */
  spendWrite(): void {
    this.assertWritesLeft(1);
    this.#written++;
  }

  /** Throws BAD_USER_INPUT. A smaller mutation of the request may still fit. */
  assertWritesLeft(items: number): void {
    if (this.#written + items <= MAX_ITEMS_WRITTEN) return;
    throw new GraphQLError(
      `The operation writes more than ${MAX_ITEMS_WRITTEN} users and posts; send several requests`,
      {
        extensions: { code: 'BAD_USER_INPUT' },
      },
    );
  }

  /** Throws BAD_USER_INPUT. */
  assertNotExceeded(): void {
    this.#error ??= this.#findExcess();
    if (this.#error) throw this.#error;
  }

  #findExcess(): GraphQLError | undefined {
    if (this.#read > MAX_ITEMS_READ) return exceeded(`reads more than ${MAX_ITEMS_READ} items`);
    if (this.#returned > MAX_ITEMS_RETURNED) return exceeded(`returns more than ${MAX_ITEMS_RETURNED} items`);
    if (this.#bytes > MAX_BYTES_RETURNED) return exceeded(`returns more than ${MAX_BYTES_RETURNED} bytes`);
    return undefined;
  }
}

const exceeded = (what: string) =>
  new GraphQLError(`The operation ${what}; use first to limit its lists, or send several requests`, {
    extensions: { code: 'BAD_USER_INPUT' },
    path: [],
  });

type Selection = Map<string, { name: string; selection: Selection }>;

/** Assumed size of a missing member: `__typename`, or a field with a resolver, which calls `spendReturned` itself. */
const MISSING_BYTES = '"User"'.length;

/** A cache: graphql-js passes the same nodes for every item of a list. */
const selections = new WeakMap<readonly FieldNode[], Selection>();

/** Estimates the size, so that the request fails before building a response that is too large. */
function measureResponse(value: unknown, { fieldNodes, fragments }: GraphQLResolveInfo): number {
  const selection = selections.get(fieldNodes) ?? collectFields(fieldNodes, fragments);
  selections.set(fieldNodes, selection);
  return measure(value, selection);
}

function measure(value: unknown, selection: Selection): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + measure(item, selection) + 1, 2);
  if (value === undefined) return MISSING_BYTES;
  // Measure values without selection, such as objects of a JSON scalar.
  if (typeof value !== 'object' || value === null || selection.size === 0)
    return Buffer.byteLength(JSON.stringify(value));
  let size = 2;
  for (const [key, { name, selection: child }] of selection)
    size += key.length + '"":,'.length + measure(readMember(value, name), child);
  return size;
}

/** Reads own fields first: an own field may have the name of an internal member of `User`. */
function readMember(object: object, name: string): unknown {
  const { own } = object as Partial<User>; // Only users have the member `own`.
  return own && Object.hasOwn(own, name) ? own[name] : (object as Record<string, unknown>)[name]; // Any object can be read by name.
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
