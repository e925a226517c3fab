import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { environment } from '../environment.ts';
import { forbidden } from '../errors.ts';

/**
 * Throws FORBIDDEN for a request that was not verified in the way this code was deployed for. A deploy changes code and
 * gateway one after the other, and a canary or a rollback runs code of one setting where the gateway has the other.
 */
export function requireAuthorizer({ requestContext }: APIGatewayProxyEventV2): void {
  const { requiredAuthorizer } = environment;
  if (!requiredAuthorizer) return;
  // The event is typed for API Gateway without authorizers. Only AWS writes this part of it.
  const { authorizer } = requestContext as { authorizer?: Record<string, unknown> };
  if (authorizer?.[requiredAuthorizer]) return;
  throw forbidden(requiredAuthorizer === 'iam' ? 'The request must be signed' : 'The request must have a token');
}
