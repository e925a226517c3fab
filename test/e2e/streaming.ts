/** In a request to a function: the URL where its door awaits the answer. In the answer: status and headers, as JSON. */
export const STREAM_TO = 'x-e2e-stream';

export type StreamHead = { statusCode?: number; headers?: Record<string, string> };
