import type { TestProject } from 'vitest/node';
import { databaseEnvironment, startDatabase } from '../../infra/local/database/start.ts';
import { startGraphqlServer } from '../setup/graphql-server.ts';
import { startLocalService } from '../setup/local-service.ts';
import { provideTarget } from './target.ts';

/** Tests a web function. A local service provides REST and `on-change` on the same table. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const database = await startDatabase();
  const variables = { ...databaseEnvironment(database), TABLE_NAME: 'contract' };
  const server = await startGraphqlServer(variables);
  const service = await startLocalService([], variables);
  await provideTarget(project, service.url, server.url);
  return async () => {
    await server.stop();
    await service.stop();
    await database.stop();
  };
}
