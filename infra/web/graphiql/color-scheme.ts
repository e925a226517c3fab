import { sharedStorage } from '../console/auth/page-storage.ts';

// Synchronizes Mantine's color scheme (console and reference) with GraphiQL's.
type ColorScheme = 'light' | 'dark' | undefined;

const MANTINE = 'mantine-color-scheme-value';
/** An empty text is the system's scheme. */
const GRAPHIQL = 'graphiql:theme';

const system = matchMedia('(prefers-color-scheme: dark)');
sharedStorage.setItem(GRAPHIQL, read(MANTINE) ?? '');
system.addEventListener('change', show);
// GraphiQL stores a chosen scheme and then sets a class of `body`.
new MutationObserver(adopt).observe(document.body, { attributes: true, attributeFilter: ['class'] });

function read(key: string): ColorScheme {
  const stored = sharedStorage.getItem(key);
  return stored === 'light' || stored === 'dark' ? stored : undefined;
}

function show(): void {
  document.documentElement.dataset.mantineColorScheme = read(MANTINE) ?? (system.matches ? 'dark' : 'light');
}

function adopt(): void {
  sharedStorage.setItem(MANTINE, read(GRAPHIQL) ?? 'auto');
  show();
}
