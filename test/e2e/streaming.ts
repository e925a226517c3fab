/**
 * The proxy sends a function this header with the URL for its streamed response. The function's request to that URL has
 * this header with the status and headers as JSON.
 */
export const STREAM_TO = 'x-e2e-stream';
