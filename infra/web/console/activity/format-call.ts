import type { Call } from '../api/calls.ts';

export const formatHeaders = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

/** The document of a GraphQL operation is easier to read on lines than as JSON. */
export const formatRequestBody = ({ query, variables, ...rest }: Record<string, unknown>): string =>
  typeof query === 'string' ? `${query}\n\n${JSON.stringify(variables, null, 2)}` : JSON.stringify(rest, null, 2);

const MAX_SHOWN = 4000;

export function formatResponse(outcome: Call['outcome']): string {
  if (!outcome) return 'The response has not arrived yet';
  const text = formatJson(outcome.body) || 'The response has no body';
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}\n…` : text;
}

function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
