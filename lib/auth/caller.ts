import type { APIGatewayProxyEventV2 } from 'aws-lambda';

type Claims = Record<string, unknown>;
type Authorizer = { jwt?: { claims?: Claims }; iam?: { userArn?: string } };

const ANONYMOUS = 'anonymous';

/** Returns the subject of the token or the ARN of the IAM identity; `anonymous` without authentication. */
export function readCaller(event: APIGatewayProxyEventV2): string {
  const { authorizer } = event.requestContext as { authorizer?: Authorizer };
  if (authorizer?.jwt) return subjectOf(authorizer.jwt.claims ?? {});
  return authorizer?.iam?.userArn ?? ANONYMOUS;
}

/** Returns the subject of a token, or its client if it acts on its own behalf (RFC 9068 section 2.2). */
export function subjectOf({ sub, client_id }: Claims): string {
  return [sub, client_id].filter((name) => typeof name === 'string').find(Boolean) ?? ANONYMOUS;
}
