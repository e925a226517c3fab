// This runs before the first paint. The console, the reference and GraphiQL each store a color scheme; all follow one.
type ColorScheme = 'light' | 'dark' | undefined;

/** Mantine stores the color scheme of the console under this key. */
const CONSOLE = 'mantine-color-scheme-value';
/** The keys are those of the reference and of GraphiQL; the values are what each stores to follow the system. */
const SYSTEM = { colorMode: 'system', 'graphiql:theme': '' };

const system = matchMedia('(prefers-color-scheme: dark)');
let chosen = read(CONSOLE);
storeForPages();
show();
system.addEventListener('change', show);
document.addEventListener('DOMContentLoaded', () => {
  // Scalar and GraphiQL store what is chosen in them, then they set a class.
  new MutationObserver(adopt).observe(document.body, { attributes: true, attributeFilter: ['class'] });
});

function read(key: string): ColorScheme {
  const stored = localStorage.getItem(key);
  return stored === 'light' || stored === 'dark' ? stored : undefined;
}

function storeForPages(): void {
  for (const [key, followsSystem] of Object.entries(SYSTEM)) localStorage.setItem(key, chosen ?? followsSystem);
}

function show(): void {
  document.documentElement.dataset.colorScheme = chosen ?? (system.matches ? 'dark' : 'light');
}

/** Takes over what was chosen in this page. */
function adopt(): void {
  const changed = Object.keys(SYSTEM).find((key) => read(key) !== chosen);
  if (!changed) return;
  chosen = read(changed);
  localStorage.setItem(CONSOLE, chosen ?? 'auto');
  storeForPages();
  show();
}

export {};
