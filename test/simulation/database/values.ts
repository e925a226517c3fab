/** Values and items as they travel: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_AttributeValue.html */
export type Value = {
  S?: string;
  N?: string;
  B?: string;
  BOOL?: boolean;
  NULL?: true;
  L?: Value[];
  M?: Record<string, Value>;
  SS?: string[];
  NS?: string[];
  BS?: string[];
};
export type Item = Record<string, Value>;

export const readType = (value: Value): string => Object.keys(value)[0] ?? '';

/** Negative, 0 or positive; undefined where the two cannot be compared. */
export function compare(left: Value | undefined, right: Value | undefined): number | undefined {
  if (left?.S !== undefined && right?.S !== undefined) return compareText(left.S, right.S);
  if (left?.N !== undefined && right?.N !== undefined) return Number(left.N) - Number(right.N);
  if (left?.B !== undefined && right?.B !== undefined)
    return Buffer.compare(Buffer.from(left.B, 'base64'), Buffer.from(right.B, 'base64'));
  return undefined;
}

/** The keys of this table are ASCII, whose code units have the order of their UTF-8. */
export const compareText = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0);

export function isEqual(left: Value | undefined, right: Value | undefined): boolean {
  if (left === undefined || right === undefined) return false;
  const order = compare(left, right);
  return order === undefined ? canonical(left) === canonical(right) : order === 0;
}

/** The same text for equal values. */
function canonical(value: Value): string {
  if (value.M)
    return `M${JSON.stringify(
      Object.entries(value.M)
        .map(([name, each]) => [name, canonical(each)])
        .sort(),
    )}`;
  if (value.L) return `L${JSON.stringify(value.L.map(canonical))}`;
  const set = value.SS ?? value.NS ?? value.BS;
  return set ? `${readType(value)}${JSON.stringify([...set].sort())}` : JSON.stringify(value);
}

export const isSameItem = (left: Item | undefined, right: Item | undefined): boolean =>
  left === undefined || right === undefined ? left === right : isEqual({ M: left }, { M: right });
