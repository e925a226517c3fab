export const COSTS_FILE = 'infra/costs.md';

/** Replaces the part of the page between its two comments. */
export const replaceMeasured = (page: string, measured: string): string =>
  page.replace(/(<!-- measured -->\n).*(<!-- \/measured -->)/s, (_, start, end) => `${start}${measured}${end}`);
