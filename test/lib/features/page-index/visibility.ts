import type { Pick, Version } from './lagging-table.ts';

/** How long, in milliseconds, old versions may be seen: a little less than `timing.ts` takes for granted. */
const TORN_MS = 1_900;
const REPLICA_LAG_MS = 4_900;
const GSI_CREATE_LAG_MS = 2_500;
const GSI_DELETE_LAG_MS = 9_000;

/** Shows each item in each query as of any time in its lag. */
export function pickAnyVisible(random: () => number): Pick {
  return (_, versions, { IndexName, ConsistentRead }) => {
    const getLag = ({ item, isTransacted }: Version) => {
      if (IndexName) return item ? GSI_CREATE_LAG_MS : GSI_DELETE_LAG_MS;
      if (ConsistentRead) return isTransacted ? TORN_MS : 0;
      return REPLICA_LAG_MS;
    };
    const settled = versions.findLastIndex((version) => version.at <= Date.now() - getLag(version));
    const visible = versions.slice(Math.max(0, settled));
    return visible[Math.floor(random() * visible.length)];
  };
}
