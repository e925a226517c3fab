import { Button, type ButtonProps } from '@mantine/core';
import { useRef } from 'react';
import { useFocusAfter } from './focus.ts';

type Props = ButtonProps & { isPending: boolean; onClick?: () => void; type?: 'submit'; title?: string };

/** Takes the focus back after the request. */
export function PendingButton({ isPending, ...props }: Props) {
  const button = useRef<HTMLButtonElement>(null);
  useFocusAfter(isPending, button);
  return <Button ref={button} loading={isPending} {...props} />;
}
