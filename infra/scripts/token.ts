import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { findSwallowedOptions } from '../local/npm.ts';
import { requestToken } from './local-token.ts';

const USAGE = `npm run -s token -- [--scope users:write] [--group editors] [--sub developer] [--claim email=ada@example.org] [--issuer http://127.0.0.1:3001]
Prints a token of the issuer that npm run start:auth runs. The value of a claim is JSON, such as email_verified=true, or a text.
curl -H "authorization: Bearer $(npm run -s token)" …`;

const options = {
  scope: { type: 'string', multiple: true },
  group: { type: 'string', multiple: true },
  sub: { type: 'string', default: 'developer' },
  claim: { type: 'string', multiple: true },
  issuer: { type: 'string', default: 'http://127.0.0.1:3001' },
  help: { type: 'boolean', default: false },
} as const satisfies ParseArgsOptionsConfig;

try {
  const swallowed = findSwallowedOptions(options, process.argv.slice(2), process.env);
  if (swallowed) throw new Error(swallowed);
  const { values } = parseArgs({ options });
  console.log(values.help ? USAGE : await requestToken(values));
} catch (error) {
  console.error(`No token: ${(error as Error).message}`);
  process.exitCode = 1;
}
