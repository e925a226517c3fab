/** A spreadsheet would execute a text that begins like a formula (OWASP: CSV injection), so that it gets an apostrophe first. */
export const CSV = { newline: '\n', escapeFormulae: true };

/** Without this mark, Excel would take the text for another encoding. */
export const BYTE_ORDER_MARK = '\ufeff';
