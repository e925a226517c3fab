import { Annotations, CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { type OperationName, operations } from '../lib/rest/operations.ts';
import { addGraphqlUrl } from './graphql-url.ts';
import { RestApi, type RestFunctions } from './rest-api.ts';
import { ServiceFunction, type Surroundings } from './service-function.ts';
import type { Settings } from './settings.ts';
import { UsersTable } from './users-table.ts';

/** The whole service. `bundles` is the folder that infra/bundling.ts filled. */
export class UserManagementStack extends Stack {
  constructor(scope: Construct, settings: Settings, bundles: string) {
    super(scope, settings.stackName, { description: 'User Management Service: users and their posts' });
    if (settings.auth === 'none')
      Annotations.of(this).addWarningV2(
        'auth-none',
        'auth=none: everybody who finds the URLs can read and change all users.',
      );

    const key = settings.customerManagedKey ? this.#key() : undefined;
    const table = new UsersTable(this, 'table', { key });
    const surroundings = { settings, table, bundles, key };
    const functions = this.#restFunctions(surroundings);
    const graphql = this.#graphqlFunction(surroundings);

    const { stage } = new RestApi(this, 'api', functions, settings);
    const { url } = addGraphqlUrl(graphql, settings);
    new CfnOutput(this, 'ApiUrl', { value: stage.url, description: 'Behind it: /api/users and /v1/users' });
    new CfnOutput(this, 'GraphqlUrl', { value: url, description: 'Queries, mutations and subscriptions' });
    new CfnOutput(this, 'TableName', { value: table.tableName });
  }

  #key() {
    return new Key(this, 'key', { enableKeyRotation: true, removalPolicy: RemovalPolicy.RETAIN });
  }

  #restFunctions(surroundings: Surroundings): RestFunctions {
    const names = Object.keys(operations) as OperationName[];
    const functions = names.map((name) => [name, new ServiceFunction(this, name, surroundings)]);
    // Object.fromEntries forgets that its keys are all the names.
    return Object.fromEntries(functions) as RestFunctions;
  }

  /** A subscription lasts up to 90 s. */
  #graphqlFunction(surroundings: Surroundings) {
    const { issuer, audience, maxStreams } = surroundings.settings;
    return new ServiceFunction(this, 'graphql', surroundings, {
      timeout: Duration.seconds(120),
      environment: {
        MAX_STREAMS: String(maxStreams),
        ...(issuer && audience ? { AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience } : {}),
      },
    });
  }
}
