import { resolve } from 'node:path';
import type { Plugin } from 'vitest/config';

const SUFFIX = '?unlimited';
const grants = resolve('test/setup/grants.ts');
const client = resolve('lib/dynamodb/client.ts');
const functionFile = new RegExp(`^${resolve('functions')}/(?<name>[a-z-]+)\\.ts$`);

const wrapClient = `
import { checkRequests } from '${grants}';
import { TableName, table } from '${client}${SUFFIX}';
checkRequests(table, TableName);
export * from '${client}${SUFFIX}';
`;

const wrapFunction = (name: string, file: string) => `
import { limitToGrant } from '${grants}';
import { handler as unlimited } from '${file}${SUFFIX}';
export * from '${file}${SUFFIX}';
export const handler = limitToGrant('${name}', unlimited);
`;

/** Makes requests outside infra/construct/grants.ts fail. */
export const limitFunctions: Plugin = {
  name: 'limit-functions',
  enforce: 'pre',
  transform(_, id) {
    if (id === client) return wrapClient;
    const name = functionFile.exec(id)?.groups?.name;
    // Skip graphql-server, which exports no handler.
    return name && name !== 'graphql-server' ? wrapFunction(name, id) : undefined;
  },
};
