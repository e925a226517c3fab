import { Fragment } from 'react';

/** Shows an email address, which wraps only before the `@`. Isolates its text direction from the surrounding text. */
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
