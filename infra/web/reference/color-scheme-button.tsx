import { useState } from 'react';

/** All pages have the colors that are chosen in one of them: `color-scheme.ts` reads what is stored here. */
export function ColorSchemeButton() {
  const root = document.documentElement;
  const [isDark, setDark] = useState(root.dataset.mantineColorScheme === 'dark');
  const toggle = () => {
    const chosen = isDark ? 'light' : 'dark';
    localStorage.setItem('mantine-color-scheme-value', chosen);
    root.dataset.mantineColorScheme = chosen;
    setDark(!isDark);
  };
  return (
    <button type="button" onClick={toggle}>
      {isDark ? 'Use light colors' : 'Use dark colors'}
    </button>
  );
}
