import { useState } from 'react';
import type { Call } from '../api/calls.ts';
import { calculatePrice, formatPricePerMillion, formatUsage } from '../api/pricing.ts';
import { CopyMenu } from './copy-menu.tsx';
import { formatHeaders, formatRequestBody, formatResponse } from './format-call.ts';

export function RequestRow({ call }: { call: Call }) {
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
