import type { APIGatewayProxyEventV2 } from 'aws-lambda';

type Claims = Record<string, unknown>;
type Authorizer = { jwt?: { claims?: Claims }; iam?: { userArn?: string } };

const ANYONE = 'anonymous';

/** Who the gateway says is calling: a token's bearer or an IAM identity; `anonymous` where it asks nobody. */
export function readCaller(event: APIGatewayProxyEventV2): string {
  const { authorizer } = event.requestContext as { authorizer?: Authorizer };
  if (authorizer?.jwt) return subjectOf(authorizer.jwt.claims ?? {});
  return authorizer?.iam?.userArn ?? ANYONE;
}

/** Whose token it is: its subject, or the client where it acts for no one but itself (RFC 9068 2.2). */
export function subjectOf({ sub, client_id }: Claims): string {
  return [sub, client_id].filter((name) => typeof name === 'string').find(Boolean) ?? ANYONE;
}
