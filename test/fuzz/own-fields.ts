/**
 * The service under test, and the generators of requests, have these own fields: eleven of every type. Import it before
 * what reads the declarations.
 */
export const FIELDS_FILE = 'test/setup/own-fields.json';
process.env.FIELDS_FILE = FIELDS_FILE;
