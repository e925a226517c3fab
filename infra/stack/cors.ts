/** What a browser may send to either door beyond the safelist of the Fetch standard; the x-amz ones sign a request. */
export const REQUEST_HEADERS = [
  'authorization',
  'content-type',
  'x-amz-content-sha256',
  'x-amz-date',
  'x-amz-security-token',
];
