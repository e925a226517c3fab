// Mantine, in the console and the reference, and GraphiQL each store a color scheme; GraphiQL follows that of Mantine. `public/color-scheme.js` sets it for the first paint.
type ColorScheme = 'light' | 'dark' | undefined;

/** Mantine stores the color scheme under this key. */
const MANTINE = 'mantine-color-scheme-value';
/** GraphiQL stores an empty text to follow the system. */
const GRAPHIQL = 'graphiql:theme';

const system = matchMedia('(prefers-color-scheme: dark)');
localStorage.setItem(GRAPHIQL, read(MANTINE) ?? '');
system.addEventListener('change', show);
// GraphiQL stores what is chosen in it, then it sets a class.
new MutationObserver(adopt).observe(document.body, { attributes: true, attributeFilter: ['class'] });

function read(key: string): ColorScheme {
  const stored = localStorage.getItem(key);
  return stored === 'light' || stored === 'dark' ? stored : undefined;
}

function show(): void {
  document.documentElement.dataset.mantineColorScheme = read(MANTINE) ?? (system.matches ? 'dark' : 'light');
}

/** Takes over what was chosen in GraphiQL. */
function adopt(): void {
  localStorage.setItem(MANTINE, read(GRAPHIQL) ?? 'auto');
  show();
}

export {};
