/**
 * To a function: URL of the proxy that receives its streamed response. To that URL: the response's status and headers
 * as JSON.
 */
export const STREAM_TO = 'x-e2e-stream';
