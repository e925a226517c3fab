import { ActionIcon, Button, Group, Menu, Text, VisuallyHidden } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useState } from 'react';
import { type Call, calculatePrice, calls, formatPricePerMillion, formatUsage, sumUsage } from '../api/calls.ts';
import { formatCount } from '../format.ts';
import { CheckIcon, CopyIcon } from '../icons.tsx';
import { useStore } from '../store.ts';
import { formatHeaders, formatRequestBody, formatResponse, toClient, toCurl, toFetch, toGraphql } from './call-text.ts';

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

function RequestRow({ call }: { call: Call }) {
  const [isOpen, setOpen] = useState(false);
  const { title, outcome } = call;
  const price = calculatePrice(call);
  return (
    <>
      <tr>
        <td className="request-title">
          <button type="button" className="text-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {title}
          </button>
        </td>
        <td>
          <Status value={outcome?.status} />
        </td>
        <td className="number">{outcome ? `${Math.round(outcome.milliseconds)} ms` : '…'}</td>
        <td>{outcome?.usage ? formatUsage(outcome.usage) : '–'}</td>
        <td className="number">{price === undefined ? '–' : formatPricePerMillion(price)}</td>
        <td>
          <CopyMenu call={call} />
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={6}>
            <Details call={call} />
          </td>
        </tr>
      )}
    </>
  );
}

type StatusValue = NonNullable<Call['outcome']>['status'] | undefined;

const Status = ({ value }: { value: StatusValue }) => (
  <span className="call-status" data-error={value === 'failed' || Number(value) >= 400 || undefined}>
    {value ?? '…'}
  </span>
);

const Details = ({ call: { headers, body, outcome } }: { call: Call }) => (
  <div className="request-details">
    {headers && <Block title="Request headers" text={formatHeaders(headers)} />}
    {body && <Block title="Request body" text={formatRequestBody(body)} />}
    <Block title="Response" text={formatResponse(outcome)} />
  </div>
);

const Block = ({ title, text }: { title: string; text: string }) => (
  <figure>
    <figcaption>{title}</figcaption>
    {/* Long lines scroll, so the keyboard must reach the block. */}
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: WCAG asks for it */}
    <pre tabIndex={0}>{text}</pre>
  </figure>
);

function CopyMenu({ call }: { call: Call }) {
  const { copied, copy } = useClipboard();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="sm" aria-label={copied ? 'Copied' : `Copy ${call.title}`}>
          {copied ? <CheckIcon size={15} /> : <CopyIcon size={15} />}
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => copy(toCurl(call))}>Copy as curl</Menu.Item>
        <Menu.Item onClick={() => copy(toClient(call))}>Copy as client</Menu.Item>
        <Menu.Item onClick={() => copy(toFetch(call))}>Copy as fetch</Menu.Item>
        <Menu.Item onClick={() => copy(toGraphql(call))}>Copy as GraphQL</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
