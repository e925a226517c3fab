import { runGraphqlServer } from '../lib/graphql/server/server.ts';

await runGraphqlServer();
