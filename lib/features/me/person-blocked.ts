export const PERSON_BLOCKED = 'PersonBlocked';

/** Cognito refuses the sign-in. The metric filters of internal errors exclude this error by its name. */
export class PersonBlocked extends Error {
  override readonly name = PERSON_BLOCKED;
}
