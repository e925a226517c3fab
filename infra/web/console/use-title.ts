import { useEffect } from 'react';
import { usersTitle } from './focus.ts';

export function useDocumentTitle(name: string): void {
  useEffect(() => {
    document.title = name;
    return () => {
      document.title = 'Users';
    };
  }, [name]);
}

/** Also focuses the title when the page opens: screen readers then announce it. */
export function usePageTitle(name: string): void {
  useEffect(() => usersTitle.current?.focus({ preventScroll: true }), []);
  useDocumentTitle(name);
}
