import type { OperationDefinitionNode } from 'graphql';
import { createClient, type ExecutionResult } from 'graphql-sse';

type Members = Record<string, unknown>;
type Request = { query: string; operationName?: string | null | undefined; variables?: Members };

/**
 * The results of a subscription over server-sent events. The service ends a stream now and then; where the operation
 * declares `$after` and selects `cursor`, the next stream goes on behind the last change that arrived.
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
    const cursor = cursorIn(result.data);
    if (resumes && cursor) request.variables.after = cursor;
    yield result;
  }
}

function cursorIn(data: Members | null | undefined): unknown {
  const [change] = Object.values(data ?? {});
  return change instanceof Object && 'cursor' in change ? change.cursor : undefined;
}

/** A refusal is a result to show, not a reason to connect again; a busy service (503) is one. */
async function fetchResults(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request);
  if (response.ok || response.status === 503) return response;
  const refusal = JSON.stringify(await response.json());
  return new Response(`event: next\ndata: ${refusal}\n\nevent: complete\ndata:\n\n`);
}
