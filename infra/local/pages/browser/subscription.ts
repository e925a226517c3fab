import type { OperationDefinitionNode } from 'graphql';
import { createClient, type ExecutionResult } from 'graphql-sse';

type Members = Record<string, unknown>;
type Request = { query: string; operationName?: string | null | undefined; variables?: Members };

/**
 * Yields the results of a subscription over server-sent events. The service ends each stream after a while. If the
 * operation declares `$after` and selects `cursor`, the next stream resumes after the last change received.
 */
export async function* followSubscription(
  url: string,
  { query, operationName, variables }: Request,
  headers: Record<string, string>,
  operation: OperationDefinitionNode,
): AsyncGenerator<ExecutionResult> {
  const resumes = operation.variableDefinitions?.some(({ variable }) => variable.name.value === 'after');
  const request = { query, ...(operationName ? { operationName } : {}), variables: { ...variables } };
  const client = createClient({ url, headers, retryAttempts: Number.POSITIVE_INFINITY, fetchFn: fetchResults });
  for await (const result of client.iterate<Members, Members>(request)) {
    const cursor = findCursor(result.data);
    if (resumes && cursor) request.variables.after = cursor;
    yield result;
  }
}

function findCursor(data: Members | null | undefined): unknown {
  const [change] = Object.values(data ?? {});
  return change instanceof Object && 'cursor' in change ? change.cursor : undefined;
}

/** Shows an error response as a result. Only 503 makes the client reconnect. */
async function fetchResults(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request);
  if (response.ok || response.status === 503) return response;
  const errors = JSON.stringify(await response.json());
  return new Response(`event: next\ndata: ${errors}\n\nevent: complete\ndata:\n\n`);
}
