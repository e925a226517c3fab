import { useEffect } from 'react';
import { usersTitle } from '../focus.ts';

/** Focuses the title when the page opens: screen readers then announce it. */
export function useTitle(name: string): void {
  useEffect(() => usersTitle.current?.focus({ preventScroll: true }), []);
  useEffect(() => {
    document.title = name;
    return () => {
      document.title = 'Users';
    };
  }, [name]);
}
