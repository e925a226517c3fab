export type Item = Record<string, unknown>;

/** A `ConditionExpression` that failed: the item it failed on, where there is one and the write asked to return it. */
export type ConditionFailure = { item?: Item | undefined };
