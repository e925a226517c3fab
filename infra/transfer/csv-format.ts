import Papa from 'papaparse';

/** Without this mark, Excel would take the text for another encoding. */
export const BYTE_ORDER_MARK = '\ufeff';

/** Formats a record of a CSV file with its line break. */
export const formatRecord = (cells: readonly (string | number)[]): string =>
  `${Papa.unparse([cells.map((cell) => (typeof cell === 'string' ? protectCell(cell) : cell))], { newline: '\n' })}\n`;

/**
 * A spreadsheet executes a cell that begins like a formula (https://owasp.org/www-community/attacks/CSV_Injection). It may
 * split a cell at semicolons, tabs and line breaks, if it expects them between cells.
 */
const [CELL_START, FORMULA_START] = ['(?<=^|[;\\t\\r\\n])', `['"]*[=+@\\t\\r＝＋－＠-]`];

const formulas = new RegExp(`${CELL_START}(?=${FORMULA_START})`, 'g');
const protectedFormulas = new RegExp(`${CELL_START}'(?=${FORMULA_START})`, 'g');

/** Puts an apostrophe before what a spreadsheet could take for a formula. */
export const protectCell = (text: string): string => text.replace(formulas, "'");

/** Restores the text: the inverse of `protectCell` for every text. */
export const unprotectCell = (text: string): string =>
  text.includes("'") ? text.replace(protectedFormulas, '') : text;
