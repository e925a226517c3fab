import Papa from 'papaparse';

/** The mark makes Excel read the file as UTF-8. */
export const BYTE_ORDER_MARK = '\ufeff';

export const formatRecord = (cells: readonly (string | number)[]): string =>
  `${Papa.unparse([cells.map((cell) => (typeof cell === 'string' ? protectCell(cell) : cell))])}\n`;

/**
 * Spreadsheets execute cells that start like a formula (https://owasp.org/www-community/attacks/CSV_Injection). Some
 * programs also split cells at semicolons, tabs and line breaks.
 */
const [CELL_START, FORMULA_START] = ['(?<=^|[;\\t\\r\\n])', `['"]*[=+@\\t\\r＝＋－＠-]`];

const formulas = new RegExp(`${CELL_START}(?=${FORMULA_START})`, 'g');
const protectedFormulas = new RegExp(`${CELL_START}'(?=${FORMULA_START})`, 'g');

/** Spreadsheets show a formula after an apostrophe as text. */
export const protectCell = (text: string): string => text.replace(formulas, "'");

/** Removes exactly the apostrophes that `protectCell` inserts. */
export const unprotectCell = (text: string): string => text.replace(protectedFormulas, '');
