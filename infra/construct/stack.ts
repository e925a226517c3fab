import { join } from 'node:path';
import { Annotations, CfnOutput, Fn, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { type OperationName, operations } from '../../lib/rest/operations.ts';
import type { Settings } from '../settings.ts';
import { CanaryDeployment } from './canary-deployment.ts';
import { ChangeConsumer } from './change-consumer.ts';
import { Console } from './console.ts';
import { addGraphqlUrl, GraphqlFunction } from './graphql-function.ts';
import { Monitoring } from './monitoring.ts';
import { PageIndexer } from './page-indexer.ts';
import { RestApi } from './rest-api.ts';
import { ServiceFunction, type SharedProps } from './service-function.ts';
import { ServiceKey } from './service-key.ts';
import { createUsersTable } from './users-table.ts';

/** The stack is the whole service. `bundles` is the output folder of infra/construct/bundling/bundle.ts. */
export class UserManagementStack extends Stack {
  constructor(scope: Construct, settings: Settings, bundles: string) {
    super(scope, settings.stackName, { description: 'User Management Service: users and their posts' });
    const { customerManagedKey } = settings;
    annotateOpenUrls(this, settings);

    const key = customerManagedKey ? new ServiceKey(this, 'key') : undefined;
    const table = createUsersTable(this, settings, key);
    // arn:…:stack/<name>/<uuid>
    const stackUuid = Fn.select(2, Fn.split('/', this.stackId));
    const shared = { settings, table, bundles, key, stackUuid };

    const rest = createRestFunctions(this, shared);
    const graphql = new GraphqlFunction(this, shared);
    const changes = new ChangeConsumer(this, 'changes', shared);
    const pages = new PageIndexer(this, 'pages', shared);

    const deployment = new CanaryDeployment(this, 'releases', settings);
    const { api, stage } = new RestApi(this, 'api', (name) => deployment.liveAlias(rest[name]), shared);
    const graphqlUrl = addGraphqlUrl(deployment.liveAlias(graphql), settings);

    const functions = [...Object.values(rest), graphql, changes.function, pages.function];
    const monitoring = new Monitoring(this, 'monitoring', { stage, functions, changes, ...shared });
    deployment.rollBackOn(monitoring.rollbackAlarms);

    new CfnOutput(this, 'ApiUrl', { value: stage.url, description: 'Base URL of /api/users and /v1/users' });
    new CfnOutput(this, 'GraphqlUrl', { value: graphqlUrl.url, description: 'Queries, mutations and subscriptions' });
    if (settings.console) {
      const { url } = new Console(this, 'console', { ...shared, files: join(bundles, 'console'), api, graphqlUrl });
      new CfnOutput(this, 'ConsoleUrl', { value: url, description: 'The console' });
    }
    new CfnOutput(this, 'TableName', { value: table.tableName });
  }
}

/** The synthesis prints these annotations. */
function annotateOpenUrls(scope: Construct, { auth, graphqlConcurrency }: Settings): void {
  const annotations = Annotations.of(scope);
  if (auth === 'none')
    annotations.addWarningV2('auth-none', 'auth=none: anyone who knows the URLs can read and change all users.');
  if (auth !== 'iam' && graphqlConcurrency === undefined)
    annotations.addInfo(
      `auth=${auth}: anyone can invoke the GraphQL function, which has no concurrency limit. Set graphqlConcurrency; in a new account, raise the quota of 10 concurrent executions first.`,
    );
}

function createRestFunctions(scope: Construct, shared: SharedProps): Record<OperationName, ServiceFunction> {
  const names = Object.keys(operations) as OperationName[];
  const functions = names.map((name) => [name, new ServiceFunction(scope, name, shared)]);
  // Object.fromEntries is typed for any string as key.
  return Object.fromEntries(functions) as Record<OperationName, ServiceFunction>;
}
