const PAGES = [
  { path: '/', label: 'Console' },
  { path: '/docs', label: 'Reference' },
  { path: '/graphql', label: 'GraphiQL' },
];

/** Links between the pages. The console has them in its own header. */
export function createSiteBar(current: string): string {
  const links = PAGES.map(
    ({ path, label }) => `<a href="${path}"${path === current ? ' aria-current="page"' : ''}>${label}</a>`,
  );
  return `<nav class="site" aria-label="Pages of the service">${links.join('')}</nav>`;
}
