declare module 'punycode.js' {
  const punycode: {
    /** Decodes the A-labels of a domain. Throws for an invalid label. */
    toUnicode(domain: string): string;
  };
  export default punycode;
}
