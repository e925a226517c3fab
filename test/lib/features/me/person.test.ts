import { afterEach, expect, test, vi } from 'vitest';
import { environment } from '../../../../lib/environment.ts';
import { parsePerson, requireRecentSignIn } from '../../../../lib/features/me/person.ts';

afterEach(() => void vi.restoreAllMocks());

const NOW = 1_800_000_000;
const signedIn = (auth_time: unknown) => parsePerson({ sub: 'auth0|ada', iss: 'https://id.example.org', auth_time });

test.each([
  ['now', 0],
  ['15 minutes ago', -900],
  ['a minute ahead of this clock', 60],
])('a sign-in is recent if it was %s', (_, seconds) => {
  vi.spyOn(environment, 'now').mockReturnValue(NOW * 1000);
  expect(requireRecentSignIn(signedIn(NOW + seconds))).toBeUndefined();
});

test.each([
  ['more than 15 minutes ago', -901],
  ['more than a minute ahead of this clock', 61],
])('a sign-in is not recent if it was %s', (_, seconds) => {
  vi.spyOn(environment, 'now').mockReturnValue(NOW * 1000);
  expect(() => requireRecentSignIn(signedIn(NOW + seconds))).toThrow('The person must sign in again');
});
