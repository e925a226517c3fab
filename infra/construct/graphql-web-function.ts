import { ArnFormat, type CfnElement, Duration, Fn, Stack } from 'aws-cdk-lib';
import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { type IGrantable, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { createAsset } from '../own-fields/bundled-file.ts';
import { findSubject } from '../own-fields/rules.ts';
import { acknowledge, acknowledgeCopier } from './acknowledge.ts';
import { REQUESTS_PER_ENVIRONMENT } from './concurrency.ts';
import { GRAPHQL_SERVER, grants } from './grants.ts';
import { createGraphqlVariables, type GraphqlEndpoint } from './graphql-function.ts';
import { createRole, createVariables, type SharedProps } from './service-function.ts';
import { createGlobalName } from './site.ts';

const TIMEOUT_SECONDS = 900;
/** Ends a subscription before Lambda would break the connection. */
const STREAM_SECONDS = TIMEOUT_SECONDS - 30;

/** Lambda's minimum. */
const MIN_ENVIRONMENTS = 2;

export class GraphqlWebFunction extends Construct implements GraphqlEndpoint {
  readonly url: string;
  readonly host: string;
  readonly #function: lambda.WebFunction;

  constructor(scope: Construct, id: string, shared: SharedProps) {
    super(scope, id);
    const { graphql, graphqlConcurrency, logGroup } = shared;
    const role = createRole(this, GRAPHQL_SERVER, grants.graphql, shared);
    this.#allowRegionalLogs(role, shared);
    const { folder, options } = createAsset(GRAPHQL_SERVER, shared);
    this.#function = new lambda.WebFunction(this, 'function', {
      // Unique in the account across all regions.
      webFunctionName: createGlobalName(this, 'web'),
      code: lambda.WebFunctionCode.fromAssetToManagedBucket(folder, { ...options, copyOptions: { logGroup } }),
      runtime: lambda.WebFunctionRuntime.NODEJS_24_X,
      entryPoint: `${GRAPHQL_SERVER}.mjs`,
      role,
      logGroup,
      timeout: Duration.seconds(TIMEOUT_SECONDS),
      maxConcurrencyPerEnvironment: REQUESTS_PER_ENVIRONMENT,
      defaultEndpointAuth:
        graphql === 'iam' ? lambda.WebFunctionAuthType.IAM_AUTH : lambda.WebFunctionAuthType.APPLICATION_MANAGED,
      ...(typeof graphqlConcurrency === 'number'
        ? { defaultEndpoint: { maxEnvironments: countEnvironments(graphqlConcurrency) } }
        : {}),
      environment: {
        ...createVariables(shared),
        ...createGraphqlVariables(shared),
        ...createCorsVariables(shared),
        STREAM_SECONDS: String(STREAM_SECONDS),
        ...(findSubject(shared.fields) ? { FOLLOW_OWN_RECORDS: 'on' } : {}),
      },
    });
    this.#function.node.addDependency(role);
    this.host = this.#function.endpoint.domainName;
    this.url = `https://${this.host}/`;
    acknowledgeCopyChecks(this);
  }

  grantInvoke(grantee: IGrantable) {
    return this.#function.endpoint.grants.invoke(grantee);
  }

  /** 5xx responses: https://docs.aws.amazon.com/lambda/latest/dg/web-functions-monitoring-metrics.html */
  metricServerErrors(options: MetricOptions): Metric {
    return new Metric({
      namespace: 'AWS/Lambda/Web',
      metricName: 'HTTPResponseStatusClass5XX',
      dimensionsMap: {
        FunctionName: this.#function.webFunctionName,
        EndpointName: this.#function.endpoint.resource.endpointName,
      },
      ...options,
    });
  }

  /** Lambda creates a second log group per region, named `<log group>.local`. */
  #allowRegionalLogs(role: Role, { logGroup }: SharedProps): void {
    const arn = Stack.of(this).formatArn({
      service: 'logs',
      resource: 'log-group',
      resourceName: `${logGroup.logGroupName}.local:*`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    const actions = ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'];
    role.addToPrincipalPolicy(new PolicyStatement({ actions, resources: [arn] }));
    const name = Stack.of(this).getLogicalId(logGroup.node.defaultChild as CfnElement);
    acknowledge(role, {
      id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:logs:<AWS::Region>:<AWS::AccountId>:log-group:<${name}>.local:*]`,
      reason: 'The wildcard stands for the streams of this log group.',
    });
  }
}

const countEnvironments = (requests: number) =>
  Math.max(MIN_ENVIRONMENTS, Math.ceil(requests / REQUESTS_PER_ENVIRONMENT));

/** A web function answers CORS requests itself. A Function URL would do so by configuration. */
const createCorsVariables = ({ corsOrigins }: SharedProps): Record<string, string> =>
  corsOrigins.length > 0 ? { CORS_ORIGINS: Fn.join(',', corsOrigins) } : {};

function acknowledgeCopyChecks(scope: Construct): void {
  const { children } = Stack.of(scope).node;
  const bucket = children.find(({ node }) => node.id === 'AWSCDKWebFunctionAssetBucket') as Bucket;
  acknowledge(bucket, { id: 'AwsSolutions-S1', reason: 'Only Lambda reads it, and it holds nothing but the code.' });
  for (const child of children.filter(({ node }) => node.id.startsWith('Custom::S3ObjectCopy')))
    acknowledgeCopier(child, bucket, '/web-function/*', ['Abort', 'DeleteObject']);
}
