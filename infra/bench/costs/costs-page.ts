export const COSTS_FILE = 'infra/costs.md';

export const replaceMeasured = (page: string, measured: string, name = 'measured'): string =>
  page.replace(
    new RegExp(`(<!-- ${name} -->\\n).*(<!-- /${name} -->)`, 's'),
    (_, start, end) => `${start}${measured}${end}`,
  );
