import { Fragment } from 'react';

/** Shows an address, or a value that may be one. It breaks before its `@` or not at all, and its direction does not change that of the text around it. */
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
