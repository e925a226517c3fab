export const COSTS_FILE = 'infra/costs.md';

/** Replaces the text between `<!-- name -->` and `<!-- /name -->`. */
export const replaceMeasured = (page: string, measured: string, name = 'measured'): string =>
  page.replace(
    new RegExp(`(<!-- ${name} -->\\n).*(<!-- /${name} -->)`, 's'),
    (_, start, end) => `${start}${measured}${end}`,
  );
