import { Fragment } from 'react';

/** Wraps only before the `@`. */
export const Address = ({ value }: { value: string }) => (
  <bdi>
    {value.split(/(?=@)/).map((part, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no identity besides their position
      <Fragment key={at}>
        {at > 0 && <wbr />}
        {part}
      </Fragment>
    ))}
  </bdi>
);
