import type { APIGatewayProxyEventV2 } from 'aws-lambda';

type Authorizer = { jwt?: { claims?: Record<string, unknown> }; iam?: { userArn?: string } };

/** Who the gateway says is calling: a token's subject or an IAM identity; `anonymous` where it asks nobody. */
export function callerOf(event: APIGatewayProxyEventV2): string {
  const { authorizer } = event.requestContext as { authorizer?: Authorizer };
  const subject = authorizer?.jwt?.claims?.sub;
  if (typeof subject === 'string') return subject;
  return authorizer?.iam?.userArn ?? 'anonymous';
}
