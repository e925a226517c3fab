import Papa from 'papaparse';

/** The mark makes Excel read the file as UTF-8. */
export const BYTE_ORDER_MARK = '\ufeff';

export const formatRecord = (cells: readonly (string | number)[]): string =>
  formatPlainRecord(cells.map((cell) => (typeof cell === 'string' ? protectCell(cell) : cell)));

/** Adds no apostrophes: only spreadsheets need them. */
export const formatPlainRecord = (cells: readonly (string | number)[]): string => `${Papa.unparse([cells])}\n`;

/**
 * Spreadsheets execute cells that start like a formula (https://owasp.org/www-community/attacks/CSV_Injection). Some
 * programs also split cells at semicolons, tabs and line breaks.
 */
const [CELL_START, FORMULA_START] = ['(?<=^|[;\\t\\r\\n])', `['"]*[=+@\\t\\r＝＋－＠-]`];

/**
 * Spreadsheets would change these texts: 0170 to 170, 1.50 to 1.5, 3/4 and 3-4 to dates, and long numbers to 4.9E+12.
 * Dates such as 1980-04-03 stay as they are.
 */
const CONVERTED = String.raw`'*(?!\d{4}-\d\d-\d\d$)(?:0\d+|\d{12,}|\d+[.,]\d+|\d+(?:[.,]\d+)?[eE][+-]?\d+|\d{1,4}(?:[/-]\d{1,4}){1,2})$`;

const changed = new RegExp(`${CELL_START}(?=${FORMULA_START}|${CONVERTED})`, 'g');
const protectedTexts = new RegExp(`${CELL_START}'(?=${FORMULA_START}|${CONVERTED})`, 'g');

/** Spreadsheets show a text after an apostrophe as it is. */
export const protectCell = (text: string): string => text.replace(changed, "'");

/** Removes exactly the apostrophes that `protectCell` inserts. */
export const unprotectCell = (text: string): string => text.replace(protectedTexts, '');
