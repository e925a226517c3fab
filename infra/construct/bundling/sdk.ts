import type { Plugin } from 'esbuild';
import { excludeDynamicImports, replaceModule, replaceText } from './plugins.ts';

/*
 * These plugins leave out what the AWS SDK loads and never uses in the functions. Gains are CPU time of a cold start of get-user, as parts of
 * the bare handler of `npm run bench`. Retries, time limits, signatures, session tokens, endpoints (with FIPS, dual stack
 * and partitions) and the errors of DynamoDB are those of the SDK.
 */

const replaceCredentialChain = (name: string, provider: string) =>
  replaceModule(name, /credential-provider-node\/dist-es\/index\.js$/, provider);

/**
 * Lambda provides credentials in environment variables; the other providers of the chain are never used. As in the chain, they are
 * read once: the SDK asks for them at each request.
 */
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
 * A web function runs for hours, longer than credentials in variables are valid. Where its runtime names an endpoint, as that
 * of a container does, credentials come from there, and new ones before they expire.
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

/**
 * DynamoDB has no event streams. Because the SDK imports them dynamically, esbuild keeps all of what they import, used or
 * not, and evaluates it through wrappers. Gain: 6 %, 20 kB.
 */
const noEventStreams = excludeDynamicImports('no event streams', /event-streams$/, /HttpProtocol\.js$/);

/**
 * In Lambda there is no ~/.aws/config: settings come from environment variables. As in the SDK, a variable that cannot be read counts as none; the SDK
 * creates three errors for each that is not set. Gain: 5 %, with node:fs/promises and a thread pool.
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

/** No command of DynamoDB uses it. Gain: 1 %, 9 kB, with an LRU cache for 1000 endpoints. */
const noEndpointDiscovery = replaceModule(
  'no endpoint discovery',
  /middleware-endpoint-discovery\/dist-es\/index\.js$/,
  `const read = () => undefined;
   export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = { environmentVariableSelector: read, configFileSelector: read, default: undefined };
   export const resolveEndpointDiscoveryConfig = (config) => config;`,
);

/** The SDK makes ids of requests with the global `crypto`, for which Node.js loads all of Web Crypto. Gain: 1 %. */
const noWebCrypto = replaceText('no web crypto', /core\/dist-es\/submodules\/serde\/index\.js$/, [
  [/import \{ getRandomValues \}/, 'import { randomUUID }'],
  [/const _getRandomValues = .*/, ''],
  [/bindV4\(_getRandomValues\)/, '() => randomUUID()'],
]);

/** It reads user agents of browsers, and would have a file of 34 kB. */
const noBrowsers = excludeDynamicImports('no browsers', /^bowser$/, /@aws-sdk/);

export const slimSdk: Plugin[] = [noBrowsers, noEventStreams, noConfigFiles, noEndpointDiscovery, noWebCrypto];
