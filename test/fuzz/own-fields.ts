/** Import this before modules that read the declarations. */
export const FIELDS_FILE = 'test/setup/own-fields.json';
process.env.FIELDS_FILE = FIELDS_FILE;
