import { Fragment } from 'react';

/** Wraps lines only before the `@`, and isolates the text direction. */
export const Address = ({ value }: { value: string }) => (
  <bdi>
    {value.split(/(?=@)/).map((part, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: equal parts differ only in where they stand
      <Fragment key={at}>
        {at > 0 && <wbr />}
        {part}
      </Fragment>
    ))}
  </bdi>
);
