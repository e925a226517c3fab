import type { PreTokenGenerationV2TriggerEvent } from 'aws-lambda';
import { environment } from '../../environment.ts';

type Attributes = PreTokenGenerationV2TriggerEvent['request']['userAttributes'];

/**
 * Completes the access token of a person with the address, which Cognito puts into id tokens only. The client for people also gets
 * the scope of own records: without it, only sign-ins on Cognito's pages could have it, not those by an SDK. Returns the event for Cognito, and leaves the given one as it is.
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
          claimsToAddOrOverride: describeAddress(userAttributes),
          ...(isPeopleClient ? { scopesToAdd: [environment.scopes.self] } : {}),
        },
        // Without it, Cognito may leave the groups out of the token.
        groupOverrideDetails: groupConfiguration,
      },
    },
  };
}

/** An address without the word of Cognito, such as that of an identity provider, is not verified. */
function describeAddress({ email, email_verified: verified }: Attributes): Record<string, string> {
  const claims = environment.personClaims;
  if (!email) return {};
  return { [claims.email]: email, [claims.emailVerified]: verified === 'true' ? 'true' : 'false' };
}
