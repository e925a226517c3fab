import { ASSUMED_SECONDS, prices } from '../../../prices.ts';
import { formatCount } from '../format.ts';
import { type Call, isGraphql, type Usage } from './calls.ts';

/** USD for DynamoDB, Lambda and, for REST, API Gateway. What on-change consumes afterwards is not included. */
export function calculatePrice(call: Call): number | undefined {
  const usage = call.outcome?.usage;
  if (!usage) return undefined;
  const database = usage.reads * prices.read + usage.writes * prices.write;
  const gateway = isGraphql(call) ? 0 : prices.httpApi;
  return database + gateway + prices.invocation + ASSUMED_SECONDS * prices.second;
}

/** Single calls cost too little to show, so prices are those of a million calls. */
export const formatPricePerMillion = (price: number): string => `$${(price * 1e6).toFixed(2)}`;

export const sumUsage = (usages: (Usage | undefined)[]): Usage =>
  usages.reduce<Usage>(
    (sum, usage) => ({
      requests: sum.requests + (usage?.requests ?? 0),
      reads: sum.reads + (usage?.reads ?? 0),
      writes: sum.writes + (usage?.writes ?? 0),
    }),
    { requests: 0, reads: 0, writes: 0 },
  );

export const formatUsage = ({ requests, reads, writes }: Usage): string =>
  [formatCount(requests, 'request'), ...(reads ? [`${reads} RCU`] : []), ...(writes ? [`${writes} WCU`] : [])].join(
    ' · ',
  );
