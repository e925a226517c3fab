import type { PreTokenGenerationV2TriggerEvent } from 'aws-lambda';
import { completeAccessToken } from '../lib/features/me/access-token.ts';

/** Cognito calls this before it issues tokens. After an error, people can still sign in, but not use their own record. */
export async function handler(event: PreTokenGenerationV2TriggerEvent): Promise<PreTokenGenerationV2TriggerEvent> {
  try {
    return completeAccessToken(event);
  } catch (error) {
    console.error({ event: 'token not customized', error });
    return event;
  }
}
