import type { Plugin } from 'esbuild';
import { excludeDynamicImports, replaceModule, replaceText } from './plugins.ts';

/*
 * Removes unused parts of the AWS SDK. Gains: CPU time of a cold start of get-user, in percent of the handler `bare`
 * (infra/bench/speed.ts), and bytes of the bundle.
 */

const replaceCredentialChain = (name: string, provider: string) =>
  replaceModule(name, /credential-provider-node\/dist-es\/index\.js$/, provider);

/** Reads credentials once from the environment variables of the function, like the SDK's own chain. */
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
 * Renews the credentials from the container's endpoint, if there is one. Credentials in environment variables would
 * expire while a web function runs.
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

/** DynamoDB uses no event streams, but the SDK imports their code dynamically. Gain: 6 %, 20 kB. */
const noEventStreams = excludeDynamicImports('no event streams', /event-streams$/, /HttpProtocol\.js$/);

/**
 * Reads settings from environment variables only, because Lambda has no ~/.aws/config. The SDK would look for that file,
 * which loads node:fs/promises and starts a thread pool, and create three errors per unset variable. Gain: 5 %.
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

/** DynamoDB commands do not use endpoint discovery. Gain: 1 %, 9 kB. */
const noEndpointDiscovery = replaceModule(
  'no endpoint discovery',
  /middleware-endpoint-discovery\/dist-es\/index\.js$/,
  `const read = () => undefined;
   export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = { environmentVariableSelector: read, configFileSelector: read, default: undefined };
   export const resolveEndpointDiscoveryConfig = (config) => config;`,
);

/** The SDK's use of the global `crypto` loads all of Web Crypto. Gain: 1 %. */
const noWebCrypto = replaceText('no web crypto', /core\/dist-es\/submodules\/serde\/index\.js$/, [
  [/import \{ getRandomValues \}/, 'import { randomUUID }'],
  [/const _getRandomValues = .*/, ''],
  [/bindV4\(_getRandomValues\)/, '() => randomUUID()'],
]);

/** bowser parses user agents of browsers. Gain: a file of 34 kB. */
const noBrowsers = excludeDynamicImports('no browsers', /^bowser$/, /@aws-sdk/);

export const slimSdk: Plugin[] = [noBrowsers, noEventStreams, noConfigFiles, noEndpointDiscovery, noWebCrypto];
