/** Request headers of both APIs beyond the safelist of the Fetch standard. The x-amz headers belong to a signature. */
const REQUEST_HEADERS = ['authorization', 'content-type', 'x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token'];

/** Request headers that browsers may send to REST. */
export const REST_REQUEST_HEADERS = [
  ...REQUEST_HEADERS,
  'idempotency-key',
  'if-match',
  'if-none-match',
  'if-unmodified-since',
  'prefer',
];

/** Response headers of REST that browsers may read beyond the safelist. `date` tells clients the time of the service, whatever their clock says. */
export const REST_RESPONSE_HEADERS = [
  ...[
    'apigw-requestid',
    'date',
    'etag',
    'idempotency-replayed',
    'link',
    'location',
    'preference-applied',
    'retry-after',
    'x-total-count',
  ],
  ...['accept-encoding', 'accept-patch', 'allow', 'deprecation', 'sunset', 'server-timing', 'www-authenticate'],
];

/** Methods of GraphQL. */
export const GRAPHQL_METHODS = ['GET', 'POST'] as const;

/** Request headers that browsers may send to GraphQL. */
export const GRAPHQL_REQUEST_HEADERS = ['accept', ...REQUEST_HEADERS];

/** Response headers of GraphQL that browsers may read. A stream resumes at its `stream-cursor`. Function URLs rename www-authenticate. */
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
