import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

const RESOLVER = 'export const defaultEndpointResolver = ';

/** The rules' results for a given endpoint and for the regions of the partition `aws`, where nothing else matters. */
const COMMON_CASES = `
const isArn = (name) => name?.startsWith('arn:');
const isCommon = ({ UseFIPS, UseDualStack, IsSearchOperation, AccountId, AccountIdEndpointMode, ResourceArn, ResourceArnList }) =>
  !UseFIPS && !UseDualStack && !IsSearchOperation && !AccountId && AccountIdEndpointMode !== 'required' &&
  !isArn(ResourceArn) && !ResourceArnList?.some(isArn);
const findUrl = ({ Endpoint, Region }) => {
  if (Endpoint) return Endpoint.includes('.api.aws') ? undefined : Endpoint;
  return /^(us|eu|ap|sa|ca|me|af|il|mx)-\\w+-\\d+$/.test(Region) ? \`https://dynamodb.\${Region}.amazonaws.com\` : undefined;
};
export const defaultEndpointResolver = (params, context) => {
  const url = isCommon(params) && findUrl(params);
  return url ? { url: new URL(url), properties: {}, headers: {} } : resolveByRules(params, context);
};`;

/**
 * Interpreting the SDK's rules for endpoints takes 2 % of a cold start: the common cases are decided before. Tests compare
 * them with the rules.
 */
export const commonEndpoints: Plugin = {
  name: 'common endpoints',
  setup({ onLoad }) {
    onLoad({ filter: /client-dynamodb\/dist-es\/endpoint\/endpointResolver\.js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      if (!source.includes(RESOLVER)) throw new Error(`${path} has no ${RESOLVER}`);
      return {
        contents: source.replace(RESOLVER, 'const resolveByRules = ') + COMMON_CASES,
        resolveDir: dirname(path),
      };
    });
  },
};
