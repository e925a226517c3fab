/**
 * Header with the URL of the proxy that receives the streamed response. The response's status and headers are in the same header, as JSON.
 */
export const STREAM_TO = 'x-e2e-stream';
