export const COSTS_FILE = 'infra/costs.md';

/** Replaces the part of the page between the two comments of this name. */
export const replaceMeasured = (page: string, measured: string, name = 'measured'): string =>
  page.replace(
    new RegExp(`(<!-- ${name} -->\\n).*(<!-- /${name} -->)`, 's'),
    (_, start, end) => `${start}${measured}${end}`,
  );
