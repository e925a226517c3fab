import type { TestProject } from 'vitest/node';
import { startLocalService } from '../setup/local-service.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    apiUrl: string;
    graphqlUrl: string;
    /** Names of the own fields. Deployments with required own fields cannot be tested. */
    ownFields: string[];
  }
}

export default (project: TestProject) => startTarget(project, []);

/** Tests the deployment at API_URL and GRAPHQL_URL, or a local service with the arguments `args`. */
export async function startTarget(project: TestProject, args: string[]): Promise<() => Promise<void>> {
  const { API_URL, GRAPHQL_URL, TEST_DATABASE } = process.env;
  if (!API_URL !== !GRAPHQL_URL) throw new Error('Set both API_URL and GRAPHQL_URL, or neither');
  const engine = TEST_DATABASE ? ['--engine', TEST_DATABASE] : [];
  const service = API_URL ? undefined : await startLocalService(['--memory', ...engine, ...args]);
  await provideTarget(project, API_URL ?? service?.url ?? '', GRAPHQL_URL ?? `${service?.url}/graphql`);
  return async () => service?.stop();
}

export async function provideTarget({ provide }: TestProject, apiUrl: string, graphqlUrl: string): Promise<void> {
  provide('apiUrl', apiUrl.replace(/\/+$/, ''));
  provide('graphqlUrl', graphqlUrl);
  provide('ownFields', await listOwnFields(graphqlUrl));
}

const CONTRACT = new Set(['id', 'name', 'email', 'createdAt', 'updatedAt', 'version', 'posts']);

async function listOwnFields(graphqlUrl: string): Promise<string[]> {
  const { AUTH_TOKEN } = process.env;
  const headers = {
    'content-type': 'application/json',
    ...(AUTH_TOKEN ? { authorization: `Bearer ${AUTH_TOKEN}` } : {}),
  };
  const body = JSON.stringify({ query: '{ __type(name: "User") { fields(includeDeprecated: true) { name } } }' });
  const response = await fetch(graphqlUrl, { method: 'POST', headers, body });
  const { data } = (await response.json()) as { data: { __type: { fields: { name: string }[] } } };
  return data.__type.fields.map(({ name }) => name).filter((name) => !CONTRACT.has(name));
}
