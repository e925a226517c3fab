import type { PreTokenGenerationV2TriggerEvent } from 'aws-lambda';
import { completeAccessToken, isSignInBlocked } from '../lib/features/me/access-token.ts';
import { PersonBlocked } from '../lib/features/me/person-blocked.ts';

/**
 * Cognito calls this before it issues tokens, and refuses the sign-in if this throws. After an internal error, people
 * can still sign in, but not use their own record.
 */
export async function handler(event: PreTokenGenerationV2TriggerEvent): Promise<PreTokenGenerationV2TriggerEvent> {
  if (await isSignInBlocked(event)) throw new PersonBlocked('The person is blocked');
  try {
    return completeAccessToken(event);
  } catch (error) {
    console.error({ event: 'token not customized', error });
    return event;
  }
}
