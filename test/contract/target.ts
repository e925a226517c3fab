import type { TestProject } from 'vitest/node';
import { startLocalService } from '../setup/local-service.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    apiUrl: string;
    graphqlUrl: string;
  }
}

/** The deployment that API_URL and GRAPHQL_URL name, or else `npm start` in memory, for the run only. */
export default async function setup({ provide }: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { API_URL, GRAPHQL_URL } = process.env;
  if (!API_URL !== !GRAPHQL_URL) throw new Error('API_URL and GRAPHQL_URL are set together or not at all');
  const service = API_URL ? undefined : await startLocalService();
  provide('apiUrl', (API_URL ?? service?.url ?? '').replace(/\/+$/, ''));
  provide('graphqlUrl', GRAPHQL_URL ?? `${service?.url}/graphql`);
  return service?.stop;
}
