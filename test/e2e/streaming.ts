/** To a function: URL of the proxy for its streamed response. To that URL: status and headers as JSON. */
export const STREAM_TO = 'x-e2e-stream';
