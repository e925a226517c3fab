// Synchronizes the color scheme of Mantine (console and reference) with GraphiQL's. `public/color-scheme.js` sets the
// scheme of the first paint.
type ColorScheme = 'light' | 'dark' | undefined;

/** Storage key of Mantine's color scheme. */
const MANTINE = 'mantine-color-scheme-value';
/** Storage key of GraphiQL's color scheme. An empty text is the system's scheme. */
const GRAPHIQL = 'graphiql:theme';

const system = matchMedia('(prefers-color-scheme: dark)');
localStorage.setItem(GRAPHIQL, read(MANTINE) ?? '');
system.addEventListener('change', show);
// When a person chooses a scheme, GraphiQL stores it and then sets a class of `body`, which is observed here.
new MutationObserver(adopt).observe(document.body, { attributes: true, attributeFilter: ['class'] });

function read(key: string): ColorScheme {
  const stored = localStorage.getItem(key);
  return stored === 'light' || stored === 'dark' ? stored : undefined;
}

function show(): void {
  document.documentElement.dataset.mantineColorScheme = read(MANTINE) ?? (system.matches ? 'dark' : 'light');
}

/** Stores the scheme chosen in GraphiQL for Mantine. */
function adopt(): void {
  localStorage.setItem(MANTINE, read(GRAPHIQL) ?? 'auto');
  show();
}

export {};
