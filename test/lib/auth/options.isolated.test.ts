import { describe, expect, test } from 'vitest';
import { createOpenWarning, readOptions } from '../../../infra/local/options.ts';

const ISSUER = 'https://issuer.example';
const BOTH = ['--issuer', ISSUER, '--audience', 'users'];

describe('npm start', () => {
  test('requires tokens of the given issuer and audience', () => {
    expect(readOptions(BOTH, {}).tokens).toEqual({ issuer: ISSUER, audience: 'users' });
  });

  test('requires no tokens by default', () => {
    expect(readOptions([], {}).tokens).toBeUndefined();
  });

  test('requires tokens in REST, too, if the environment of the GraphQL function names an issuer', () => {
    const env = { AUTH_ISSUER: ISSUER, AUTH_AUDIENCE: 'users' };
    expect(readOptions([], env).tokens).toEqual({ issuer: ISSUER, audience: 'users' });
    expect(readOptions(['--audience', 'others'], env).tokens).toEqual({ issuer: ISSUER, audience: 'others' });
  });

  test.each([
    ['an issuer alone', ['--issuer', ISSUER], {}, '--issuer and --audience must be given together'],
    ['an audience alone', ['--audience', 'users'], {}, '--issuer and --audience must be given together'],
    [
      'only the issuer in the environment',
      [],
      { AUTH_ISSUER: ISSUER },
      '--issuer and --audience must be given together',
    ],
    ['an issuer that is not a URL', ['--issuer', 'me', '--audience', 'users'], {}, '--issuer must be an https URL'],
    [
      'an http issuer on the network',
      ['--issuer', 'http://a.example', '--audience', 'a'],
      {},
      '--issuer must be an https URL',
    ],
    ['an empty audience', ['--issuer', ISSUER, '--audience', ''], {}, '--audience must be a name'],
  ])('rejects %s in one line', (_, args, env, reason) => {
    expect(() => readOptions(args, env)).toThrow(new RegExp(`^${reason}.* Usage: npm start -- .*$`));
  });

  test.each([
    ['0.0.0.0', [], true],
    ['192.168.1.5', [], true],
    ['127.0.0.1.example.com', [], true],
    ['0.0.0.0', BOTH, false],
    ['0.0.0.0', ['--auth'], false],
    ['127.0.0.1', [], false],
    ['localhost', [], false],
    ['::1', [], false],
  ])('with --host %s and options %j, the warning about open access is shown: %j', (host, args, warns) => {
    const warning = createOpenWarning(readOptions(['--host', host, ...args], {}));
    const named = [host, '--auth', '--issuer'].filter((name) => warning?.includes(name));
    expect(named).toEqual(warns ? [host, '--auth', '--issuer'] : []);
  });
});
