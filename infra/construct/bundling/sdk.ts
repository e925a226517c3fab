import type { Plugin } from 'esbuild';
import { excludeDynamicImports, replaceModule, replaceText } from './plugins.ts';

/*
 * Removes the parts of the AWS SDK that the functions never use. Gains: CPU time of a cold start of get-user, relative to the bare handler
 * of `npm run node -- infra/bench/speed.ts`. Retries, time limits, signatures, endpoints and DynamoDB errors remain those of the SDK.
 */

const replaceCredentialChain = (name: string, provider: string) =>
  replaceModule(name, /credential-provider-node\/dist-es\/index\.js$/, provider);

/** Lambda passes credentials in environment variables. Reads them once, as the SDK's own chain does. */
export const environmentCredentials = replaceCredentialChain(
  'environment credentials',
  `import { fromEnv } from '@aws-sdk/credential-provider-env';
   export const defaultProvider = (init) => {
     const read = fromEnv(init);
     let credentials;
     return async () => (credentials ??= await read());
   };`,
);

/**
 * A web function outlives credentials in variables. Uses the container's credential endpoint if there is one, and renews before they
 * expire.
 */
export const containerCredentials = replaceCredentialChain(
  'container credentials',
  `import { fromEnv } from '@aws-sdk/credential-provider-env';
   import { fromHttp } from '@aws-sdk/credential-provider-http';
   import { memoizeChain } from './runtime/memoize-chain';
   const hasEndpoint = () => process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI || process.env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI;
   const MARGIN_MS = 300_000;
   export const defaultProvider = (init) => memoizeChain(
     [async () => (hasEndpoint() ? fromHttp(init)() : fromEnv(init)())],
     ({ expiration } = {}) => expiration !== undefined && expiration.getTime() - Date.now() < MARGIN_MS,
   );`,
);

/** DynamoDB has no event streams. The SDK's dynamic import makes esbuild keep all their code. Gain: 6 %, 20 kB. */
const noEventStreams = excludeDynamicImports('no event streams', /event-streams$/, /HttpProtocol\.js$/);

/**
 * Lambda has no ~/.aws/config. Reads environment variables only; the SDK creates three errors for each unset one. Gain: 5 %, with
 * node:fs/promises and a thread pool.
 */
const noConfigFiles = replaceModule(
  'no config files',
  /node-config-provider\/configLoader\.js$/,
  `import { memoize } from '../property-provider/memoize';
   const readVariable = (select, options) => {
     try { return select(process.env, options); } catch { return undefined; }
   };
   export const loadConfig = ({ environmentVariableSelector, default: initial }, { signingName, logger } = {}) => memoize(async () => {
     const value = readVariable(environmentVariableSelector, { signingName, logger });
     if (value !== undefined) return value;
     return typeof initial === 'function' ? initial() : initial;
   });`,
);

/** Unused by DynamoDB commands. Gain: 1 %, 9 kB, with an LRU cache for 1000 endpoints. */
const noEndpointDiscovery = replaceModule(
  'no endpoint discovery',
  /middleware-endpoint-discovery\/dist-es\/index\.js$/,
  `const read = () => undefined;
   export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = { environmentVariableSelector: read, configFileSelector: read, default: undefined };
   export const resolveEndpointDiscoveryConfig = (config) => config;`,
);

/** The global `crypto` loads all of Web Crypto, only for request ids. Gain: 1 %. */
const noWebCrypto = replaceText('no web crypto', /core\/dist-es\/submodules\/serde\/index\.js$/, [
  [/import \{ getRandomValues \}/, 'import { randomUUID }'],
  [/const _getRandomValues = .*/, ''],
  [/bindV4\(_getRandomValues\)/, '() => randomUUID()'],
]);

/** Parses browser user agents. Gain: a file of 34 kB. */
const noBrowsers = excludeDynamicImports('no browsers', /^bowser$/, /@aws-sdk/);

export const slimSdk: Plugin[] = [noBrowsers, noEventStreams, noConfigFiles, noEndpointDiscovery, noWebCrypto];
