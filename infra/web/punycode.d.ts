declare module 'punycode.js' {
  const punycode: {
    /** Decodes the A-labels of a domain. Throws for a label that cannot be decoded. */
    toUnicode(domain: string): string;
  };
  export default punycode;
}
