import { Button, type ButtonProps, type ElementProps } from '@mantine/core';

type Props = ButtonProps & ElementProps<'button', keyof ButtonProps> & { isPending?: boolean };

/** Keeps the focus, which the attribute `disabled` would remove. */
export const PendingButton = ({ isPending = false, disabled = false, onClick, ...props }: Props) => (
  <Button
    {...props}
    loading={isPending}
    data-disabled={disabled}
    aria-disabled={isPending || disabled}
    onClick={isPending || disabled ? undefined : onClick}
    renderRoot={({ disabled: _, ...root }) => <button {...root} />}
  />
);
