import { Fn, Names, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** CloudFront's limit, less the longest name of a region, such as ap-northeast-3. */
const MAX_LENGTH = 64 - 14;

/** A name for what belongs to the account and not to a region: unique among all stacks in all regions. */
export function createGlobalName(scope: Construct, id: string): string {
  const maxLength = MAX_LENGTH - `-${id}-`.length;
  return `${Names.uniqueResourceName(scope, { maxLength, separator: '-' })}-${id}-${Stack.of(scope).region}`;
}

/** Differs also from that of a deleted stack of the same name. Nobody knows it who may not see the stack or its functions. */
export const getStackUuid = (scope: Construct): string => Fn.select(2, Fn.split('/', Stack.of(scope).stackId));
