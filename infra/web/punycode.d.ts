declare module 'punycode.js' {
  const punycode: {
    /** Decodes the labels of a domain that begin with `xn--`. Throws for an invalid label. */
    toUnicode(domain: string): string;
  };
  export default punycode;
}
