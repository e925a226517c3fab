/** True for the same JSON. The order of members does not count. A missing member, or undefined, differs from null. */
export const isEqualJson = (one: unknown, other: unknown): boolean =>
  one === other || formatCanonicalJson(one) === formatCanonicalJson(other);

/** Equal JSON has the same text. Empty for undefined. */
export const formatCanonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => (isObject(member) ? sortMembers(member) : member)) ?? '';

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const sortMembers = (object: object): object =>
  Object.fromEntries(Object.entries(object).sort(([one], [other]) => (one < other ? -1 : 1)));
