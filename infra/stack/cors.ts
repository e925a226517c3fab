/** Request headers of both APIs beyond the safelist of the Fetch standard. The x-amz headers belong to a signature. */
export const REQUEST_HEADERS = [
  'authorization',
  'content-type',
  'x-amz-content-sha256',
  'x-amz-date',
  'x-amz-security-token',
];

/** Those of REST. */
export const REST_REQUEST_HEADERS = [...REQUEST_HEADERS, 'idempotency-key', 'if-match', 'if-none-match'];

/** Response headers of REST that browsers may read beyond the safelist. */
export const REST_RESPONSE_HEADERS = [
  ...['etag', 'link', 'location', 'retry-after', 'x-total-count'],
  ...['accept-patch', 'allow', 'deprecation', 'sunset', 'server-timing', 'www-authenticate'],
];
