import { Button, Group, Text, VisuallyHidden } from '@mantine/core';
import { type Call, calls } from '../api/calls.ts';
import { calculatePrice, formatPricePerMillion, formatUsage, sumUsage } from '../api/pricing.ts';
import { formatCount } from '../format.ts';
import { useStore } from '../store.ts';
import { RequestRow } from './request-row.tsx';

export function RequestList() {
  const all = useStore(calls);
  return (
    <>
      <Group className="dock-tools" gap="sm" justify="space-between">
        <Text size="sm" data-testid="sum">
          {describeSum(all)}
        </Text>
        <Button size="compact-sm" variant="default" onClick={() => calls.set(() => [])}>
          Clear
        </Button>
      </Group>
      <div className="requests-scroll">
        <table className="requests">
          <caption>
            Latest first. Prices are list prices of a million such calls: DynamoDB, Lambda (20 ms at 1 GB) and, for
            REST, API Gateway.
          </caption>
          <thead>
            <tr>
              <th scope="col">Call</th>
              <th scope="col">Status</th>
              <th scope="col">Time</th>
              <th scope="col">DynamoDB</th>
              <th scope="col">Per million</th>
              <th scope="col">
                <VisuallyHidden>Copy</VisuallyHidden>
              </th>
            </tr>
          </thead>
          <tbody>
            {all.map((call) => (
              <RequestRow key={call.number} call={call} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function describeSum(all: Call[]): string {
  const usages = all.map(({ outcome }) => outcome?.usage);
  const price = all.reduce((sum, call) => sum + (calculatePrice(call) ?? 0), 0);
  const count = formatCount(all.length, 'call');
  return usages.some(Boolean)
    ? `${count}: DynamoDB ${formatUsage(sumUsage(usages))}, ${formatPricePerMillion(price)} for a million times ${all.length === 1 ? 'this call' : `these ${all.length}`}`
    : count;
}
