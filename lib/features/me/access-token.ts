import type { PreTokenGenerationV2TriggerEvent } from 'aws-lambda';
import { environment } from '../../environment.ts';
import { blockingFields, isBlocked } from './fields.ts';

type Attributes = PreTokenGenerationV2TriggerEvent['request']['userAttributes'];

/**
 * Adds the email claims, which Cognito puts only into id tokens, and the scope for own records, which SDK sign-ins of
 * the client for people lack.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/user-pool-lambda-pre-token-generation.html
 */
export function completeAccessToken(event: PreTokenGenerationV2TriggerEvent): PreTokenGenerationV2TriggerEvent {
  const { request, callerContext } = event;
  const { userAttributes, groupConfiguration } = request;
  const isPeopleClient = callerContext.clientId === environment.peopleClientId;
  return {
    ...event,
    response: {
      claimsAndScopeOverrideDetails: {
        accessTokenGeneration: {
          claimsToAddOrOverride: { ...describeAddress(userAttributes), ...describeGroup(userAttributes) },
          ...(isPeopleClient ? { scopesToAdd: listPersonScopes() } : {}),
        },
        // Repeats the groups, which Cognito may otherwise omit from the token.
        groupOverrideDetails: groupConfiguration,
      },
    },
  };
}

const listPersonScopes = (): string[] =>
  environment.groupClaim === undefined
    ? [environment.scopes.self]
    : [environment.scopes.self, environment.scopes.group];

/** Returns the claim of the group that the person may administer, from the custom attribute of the same name. */
function describeGroup(attributes: Attributes): Record<string, string> {
  const claim = environment.groupClaim;
  const externalId = claim === undefined ? undefined : attributes[`custom:${claim}`];
  return claim !== undefined && externalId ? { [claim]: externalId } : {};
}

/** Returns the claims of the address. Cognito does not verify addresses that come from identity providers. */
function describeAddress({ email, email_verified: verified }: Attributes): Record<string, string> {
  const claims = environment.personClaims;
  if (!email) return {};
  return { [claims.email]: email, [claims.emailVerified]: verified === 'true' ? 'true' : 'false' };
}

/** Cognito waits at most 5 s, which includes a cold start. */
const READ_TIME_LIMIT_MS = 2_000;

/** Reads consistently if a field blocks people. False after an error. */
export async function isSignInBlocked(event: PreTokenGenerationV2TriggerEvent): Promise<boolean> {
  if (blockingFields.length === 0) return false;
  try {
    const { userName, request } = event;
    const subject = { username: userName, ...request.userAttributes }[environment.personClaims.subject];
    if (!subject) return false;
    const [{ findBySubject }, { withDeadline }] = await Promise.all([
      import('./read.ts'),
      import('../../dynamodb/requests.ts'),
    ]);
    const stored = await withDeadline(READ_TIME_LIMIT_MS, () => findBySubject(subject));
    return stored !== undefined && isBlocked(stored.user);
  } catch (error) {
    console.error({ event: 'block not checked', error });
    return false;
  }
}
