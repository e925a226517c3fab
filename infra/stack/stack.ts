import { Annotations, CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { type OperationName, operations } from '../../lib/rest/operations.ts';
import { ChangeConsumer } from './change-consumer.ts';
import { addGraphqlUrl } from './graphql-url.ts';
import { Monitoring } from './monitoring.ts';
import { PageIndexer } from './page-indexer.ts';
import { CanaryDeployment } from './canary-deployment.ts';
import { RestApi } from './rest-api.ts';
import { ServiceFunction, type SharedProps } from './service-function.ts';
import { ServiceKey } from './service-key.ts';
import type { Settings } from '../settings.ts';
import { usersTable } from './users-table.ts';

/** The whole service. `bundles` is the folder that infra/stack/bundling.ts filled. */
export class UserManagementStack extends Stack {
  constructor(scope: Construct, settings: Settings, bundles: string) {
    super(scope, settings.stackName, { description: 'User Management Service: users and their posts' });
    const { auth, customerManagedKey } = settings;
    if (auth === 'none')
      Annotations.of(this).addWarningV2(
        'auth-none',
        'auth=none: whoever finds the URLs can read and change all users.',
      );

    const key = customerManagedKey ? new ServiceKey(this, 'key') : undefined;
    const table = usersTable(this, settings, key);
    const surroundings = { settings, table, bundles, key };

    const rest = restFunctions(this, surroundings);
    const graphql = graphqlFunction(this, surroundings);
    const changes = new ChangeConsumer(this, 'changes', surroundings);
    const pages = new PageIndexer(this, 'pages', surroundings);

    const releases = new CanaryDeployment(this, 'releases', settings);
    const { stage } = new RestApi(this, 'api', (name) => releases.liveAlias(rest[name]), surroundings);
    const { url } = addGraphqlUrl(releases.liveAlias(graphql), settings);

    const functions = [...Object.values(rest), graphql, changes.function, pages.function];
    const monitoring = new Monitoring(this, 'monitoring', { stage, functions, changes, ...surroundings });
    releases.rollBackOn(monitoring.guards);

    new CfnOutput(this, 'ApiUrl', { value: stage.url, description: 'Behind it: /api/users and /v1/users' });
    new CfnOutput(this, 'GraphqlUrl', { value: url, description: 'Queries, mutations and subscriptions' });
    new CfnOutput(this, 'TableName', { value: table.tableName });
  }
}

function restFunctions(scope: Construct, surroundings: SharedProps): Record<OperationName, ServiceFunction> {
  const names = Object.keys(operations) as OperationName[];
  const functions = names.map((name) => [name, new ServiceFunction(scope, name, surroundings)]);
  // Object.fromEntries forgets that its keys are all the names.
  return Object.fromEntries(functions) as Record<OperationName, ServiceFunction>;
}

function graphqlFunction(scope: Construct, surroundings: SharedProps): ServiceFunction {
  const { issuer, audience, maxStreams, graphqlConcurrency } = surroundings.settings;
  return new ServiceFunction(scope, 'graphql', surroundings, {
    // A subscription lasts up to 90 s.
    timeout: Duration.seconds(120),
    ...(graphqlConcurrency ? { reservedConcurrentExecutions: graphqlConcurrency } : {}),
    environment: {
      MAX_STREAMS: String(maxStreams),
      ...(issuer && audience ? { AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience } : {}),
    },
  });
}
