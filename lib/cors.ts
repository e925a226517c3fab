/**
 * Headers that pages of other origins may send, beyond the Fetch standard's safelist. AWS signatures use the x-amz
 * headers.
 */
const REQUEST_HEADERS = ['authorization', 'content-type', 'x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token'];

export const REST_REQUEST_HEADERS = [
  ...REQUEST_HEADERS,
  'idempotency-key',
  'if-match',
  'if-none-match',
  'if-unmodified-since',
  'prefer',
];

/** Headers that pages of other origins may read, beyond the safelist. Clients with a wrong clock need `date`. */
export const REST_RESPONSE_HEADERS = [
  ...[
    'apigw-requestid',
    'date',
    'email-conflict',
    'etag',
    'idempotency-replayed',
    'link',
    'location',
    'preference-applied',
    'retry-after',
    'sign-in-outcome',
    'x-total-count',
  ],
  ...['accept-encoding', 'accept-patch', 'allow', 'deprecation', 'sunset', 'server-timing', 'www-authenticate'],
];

export const GRAPHQL_METHODS = ['GET', 'POST'] as const;

export const GRAPHQL_REQUEST_HEADERS = ['accept', ...REQUEST_HEADERS];

/** Clients resume a stream at its `stream-cursor`. Function URLs rename www-authenticate, so both names are listed. */
export const GRAPHQL_RESPONSE_HEADERS = [
  'date',
  'accept-encoding',
  'allow',
  'retry-after',
  'server-timing',
  'stream-cursor',
  'www-authenticate',
  'x-amzn-remapped-www-authenticate',
  'x-amzn-requestid',
];
