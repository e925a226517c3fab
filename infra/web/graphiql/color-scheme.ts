// Keeps the color schemes of Mantine (console and reference) and GraphiQL equal. `public/color-scheme.js` sets it for
// the first paint.
type ColorScheme = 'light' | 'dark' | undefined;

/** Mantine's storage key. */
const MANTINE = 'mantine-color-scheme-value';
/** GraphiQL stores an empty text for the system's scheme. */
const GRAPHIQL = 'graphiql:theme';

const system = matchMedia('(prefers-color-scheme: dark)');
localStorage.setItem(GRAPHIQL, read(MANTINE) ?? '');
system.addEventListener('change', show);
// GraphiQL stores a choice, then sets a class.
new MutationObserver(adopt).observe(document.body, { attributes: true, attributeFilter: ['class'] });

function read(key: string): ColorScheme {
  const stored = localStorage.getItem(key);
  return stored === 'light' || stored === 'dark' ? stored : undefined;
}

function show(): void {
  document.documentElement.dataset.mantineColorScheme = read(MANTINE) ?? (system.matches ? 'dark' : 'light');
}

/** Adopts the scheme chosen in GraphiQL. */
function adopt(): void {
  localStorage.setItem(MANTINE, read(GRAPHIQL) ?? 'auto');
  show();
}

export {};
