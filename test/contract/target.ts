import type { TestProject } from 'vitest/node';
import { startLocalService } from '../setup/local-service.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    apiUrl: string;
    graphqlUrl: string;
  }
}

/** Tests the deployment at API_URL and GRAPHQL_URL or, if these are unset, a local service in memory. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const { API_URL, GRAPHQL_URL } = process.env;
  if (!API_URL !== !GRAPHQL_URL) throw new Error('Set both API_URL and GRAPHQL_URL, or neither');
  const engine = process.env.TEST_DATABASE ? ['--engine', process.env.TEST_DATABASE] : [];
  const service = API_URL ? undefined : await startLocalService(['--memory', ...engine]);
  provide('apiUrl', (API_URL ?? service?.url ?? '').replace(/\/+$/, ''));
  provide('graphqlUrl', GRAPHQL_URL ?? `${service?.url}/graphql`);
  return async () => service?.stop();
}
