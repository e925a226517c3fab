import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { environment } from '../environment.ts';

/** The headers that CloudFront sets on requests that it passes on (infra/construct/console.ts). */
export const CLIENT_ADDRESS_HEADER = 'true-client-ip';
export const PROXY_KEY_HEADER = 'x-proxy-key';

/**
 * Returns the IP address of the client, also of one that called CloudFront. Anyone can send any header to the Function
 * URL, so the address in a header counts only beside the key. X-Forwarded-For is of no use: of several addresses, a
 * Function URL keeps the first one, which the client may have sent.
 */
export function readClientAddress({ headers, requestContext }: APIGatewayProxyEventV2): string {
  const { proxyKey } = environment;
  const isFromCloudFront = Boolean(proxyKey) && headers[PROXY_KEY_HEADER] === proxyKey;
  return (isFromCloudFront && headers[CLIENT_ADDRESS_HEADER]) || requestContext.http.sourceIp;
}
