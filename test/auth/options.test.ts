import { describe, expect, test } from 'vitest';
import { readOptions, warningOf } from '../../infra/local/options.ts';

const ISSUER = 'https://issuer.example';
const BOTH = ['--issuer', ISSUER, '--audience', 'users'];

describe('npm start', () => {
  test('asks for tokens of an issuer for an audience', () => {
    expect(readOptions(BOTH, {}).tokens).toEqual({ issuer: ISSUER, audience: 'users' });
  });

  test('asks for none without these options', () => {
    expect(readOptions([], {}).tokens).toBeUndefined();
  });

  test("asks at both apis for what the GraphQL function's environment asks for", () => {
    const env = { AUTH_ISSUER: ISSUER, AUTH_AUDIENCE: 'users' };
    expect(readOptions([], env).tokens).toEqual({ issuer: ISSUER, audience: 'users' });
    expect(readOptions(['--audience', 'others'], env).tokens).toEqual({ issuer: ISSUER, audience: 'others' });
  });

  test.each([
    ['an issuer alone', ['--issuer', ISSUER], {}, '--issuer and --audience go together'],
    ['an audience alone', ['--audience', 'users'], {}, '--issuer and --audience go together'],
    ['half of them in the environment', [], { AUTH_ISSUER: ISSUER }, '--issuer and --audience go together'],
    ['an issuer that is no URL', ['--issuer', 'me', '--audience', 'users'], {}, '--issuer takes an https URL'],
    ['clear text across a network', ['--issuer', 'http://a.example', '--audience', 'a'], {}, '--issuer takes an https'],
    ['an empty audience', ['--issuer', ISSUER, '--audience', ''], {}, '--audience takes a name'],
  ])('refuses %s in one line', (_, args, env, reason) => {
    expect(() => readOptions(args, env)).toThrow(new RegExp(`^${reason}.* Usage: npm start -- .*$`));
  });

  test.each([
    ['0.0.0.0', [], true],
    ['192.168.1.5', [], true],
    ['127.0.0.1.example.com', [], true],
    ['0.0.0.0', BOTH, false],
    ['127.0.0.1', [], false],
    ['localhost', [], false],
    ['::1', [], false],
  ])('on %s with %j warns that it is open: %j', (host, args, warns) => {
    expect(warningOf(readOptions(['--host', host, ...args], {}))?.includes(host) ?? false).toBe(warns);
  });
});
