/** Request headers of both APIs beyond the safelist of the Fetch standard. The x-amz headers belong to a signature. */
export const REQUEST_HEADERS = [
  'authorization',
  'content-type',
  'x-amz-content-sha256',
  'x-amz-date',
  'x-amz-security-token',
];
