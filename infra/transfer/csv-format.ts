import Papa from 'papaparse';

/** Without it, Excel assumes another encoding. */
export const BYTE_ORDER_MARK = '\ufeff';

/** Formats a CSV record with its line break. */
export const formatRecord = (cells: readonly (string | number)[]): string =>
  `${Papa.unparse([cells.map((cell) => (typeof cell === 'string' ? protectCell(cell) : cell))], { newline: '\n' })}\n`;

/**
 * Spreadsheets execute cells that start like a formula (https://owasp.org/www-community/attacks/CSV_Injection). Some also split cells at
 * semicolons, tabs and line breaks.
 */
const [CELL_START, FORMULA_START] = ['(?<=^|[;\\t\\r\\n])', `['"]*[=+@\\t\\r＝＋－＠-]`];

const formulas = new RegExp(`${CELL_START}(?=${FORMULA_START})`, 'g');
const protectedFormulas = new RegExp(`${CELL_START}'(?=${FORMULA_START})`, 'g');

/** Prefixes possible formulas with an apostrophe. */
export const protectCell = (text: string): string => text.replace(formulas, "'");

/** The exact inverse of `protectCell`. */
export const unprotectCell = (text: string): string =>
  text.includes("'") ? text.replace(protectedFormulas, '') : text;
