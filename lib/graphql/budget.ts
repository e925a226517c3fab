import { type FieldNode, GraphQLError, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';
import type { User } from '../users/user.ts';

const MAX_ITEMS_READ = 10_000;
/** Counting reads keys only: 40 of them take one read unit, as much as one consistent read of a user. */
const COUNTED_PER_ITEM = 10;
/** An item that is read once can be returned many times, as the author of each post. */
const MAX_ITEMS_RETURNED = 20_000;
/** Lambda's limit for a buffered response is 6 MB. */
const MAX_BYTES_RETURNED = 5_000_000;

/** Users and posts that one request writes. Each takes a transaction. */
const MAX_ITEMS_WRITTEN = 100;

/** Items that a search by a unique value reads. */
export const CLAIM_AND_USER = 2;

/** Bounds what one request reads, writes and returns: lists without `first` have any length, and a document can repeat mutations. */
export class Budget {
  #read = 0;
  #returned = 0;
  #bytes = 0;
  #written = 0;
  /** One for all fields, because thousands can fail. */
  #error: GraphQLError | undefined;

  /** Call it as items are read. A request that finds none counts as one. Throws BAD_USER_INPUT. */
  spendRead(items: number): void {
    this.#read += Math.max(1, items);
    this.assertNotExceeded();
  }

  /** Call it as items are counted. Throws BAD_USER_INPUT. */
  spendCounted(items: number): void {
    this.#read += Math.max(1, items / COUNTED_PER_ITEM);
    this.assertNotExceeded();
  }

  /** Call it with an item, or several, before the fields of these are resolved. Returns them. Throws BAD_USER_INPUT. */
  spendReturned<Value>(value: Value, info: GraphQLResolveInfo): Value {
    this.#returned += Array.isArray(value) ? value.length : 1;
    this.#bytes += measureResponse(value, info);
    this.assertNotExceeded();
    return value;
  }

  /** Call it before a user or post is written. Throws BAD_USER_INPUT. */
  spendWrite(): void {
    this.assertWritesLeft(1);
    this.#written++;
  }

  /** Call it before several are written. Throws BAD_USER_INPUT. A smaller mutation of the request may still fit. */
  assertWritesLeft(items: number): void {
    if (this.#written + items <= MAX_ITEMS_WRITTEN) return;
    throw new GraphQLError(
      `The operation writes more than ${MAX_ITEMS_WRITTEN} users and posts; send several requests`,
      {
        extensions: { code: 'BAD_USER_INPUT' },
      },
    );
  }

  /** Call it before a read. Throws BAD_USER_INPUT. */
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

/** If the error has a path, even an empty one, graphql-js does not wrap the error for each field that throws it. */
const exceeded = (what: string) =>
  new GraphQLError(`The operation ${what}; use first to limit its lists`, {
    extensions: { code: 'BAD_USER_INPUT' },
    path: [],
  });

/** The selected fields by response key. Scalars have no selection. */
type Selection = Map<string, { name: string; selection: Selection }>;

/** No object has __typename as a member. Fields that have resolvers are measured by those. */
const MISSING_BYTES = '"User"'.length;

/** Executions of one operation pass the same nodes for every item of a list. */
const selections = new WeakMap<readonly FieldNode[], Selection>();

/**
 * The bytes that a value takes in the response, without the objects that have resolvers. Known before the
 * fields are resolved, so that a response that is too large is not built.
 */
function measureResponse(value: unknown, { fieldNodes, fragments }: GraphQLResolveInfo): number {
  const selection = selections.get(fieldNodes) ?? collectFields(fieldNodes, fragments);
  selections.set(fieldNodes, selection);
  return measure(value, selection);
}

function measure(value: unknown, selection: Selection): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + measure(item, selection) + 1, 2);
  if (value === undefined) return MISSING_BYTES;
  // A value of the scalar JSON may be an object.
  if (typeof value !== 'object' || value === null || selection.size === 0)
    return Buffer.byteLength(JSON.stringify(value));
  let size = 2;
  for (const [key, { name, selection: child }] of selection)
    size += key.length + '"":,'.length + measure(readMember(value, name), child);
  return size;
}

/** A team's own fields have resolvers, but no objects. One may be named as a member of a user is that the API does not show. */
function readMember(object: object, name: string): unknown {
  const { own } = object as Partial<User>; // Only users have the member.
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
