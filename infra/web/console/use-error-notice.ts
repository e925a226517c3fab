import { useEffect, useRef } from 'react';
import { notify } from './notices.ts';

/** Tells of an error when the form or dialog that would show it was closed while its request was under way. */
export function useErrorNotice(failure: string, isOpen = true): (error: Error) => void {
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = isOpen;
    return () => {
      isShown.current = false;
    };
  }, [isOpen]);
  return ({ message }) => {
    if (!isShown.current) notify({ message: `${failure}: ${message}`, tone: 'error' });
  };
}
