import type { ParseArgsOptionsConfig } from 'node:util';
import { rejectArguments, runCommand } from './command.ts';
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
} as const satisfies ParseArgsOptionsConfig;

await runCommand({ options, help: USAGE, failure: 'No token' }, async ({ values, positionals }) => {
  rejectArguments(positionals, USAGE);
  const invalid = values.claim?.find((claim) => !/^[^=]+=/.test(claim));
  if (invalid !== undefined)
    throw new Error(`--claim is ${invalid}; expected: a name and a value, as in email=ada@example.org`);
  console.log(await requestToken(values));
});
