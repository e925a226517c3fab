import { Duration, Fn } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  type CfnRoute,
  type CfnStage,
  CorsHttpMethod,
  HttpApi,
  HttpIntegrationType,
  HttpMethod,
  HttpNoneAuthorizer,
  type HttpRoute,
  HttpRouteIntegration,
  type HttpRouteIntegrationConfig,
  HttpStage,
  type IAccessLogSettings,
  type IHttpRouteAuthorizer,
  LogGroupLogDestination,
  PayloadFormatVersion,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer, HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { REST_REQUEST_HEADERS, REST_RESPONSE_HEADERS } from '../../lib/cors.ts';
import { allRoutes, type OperationName } from '../../lib/rest/operations.ts';
import { listRouteMethods } from '../../lib/rest/requests.ts';
import { responseFormats } from '../../lib/rest/responses.ts';
import { acknowledge } from './acknowledge.ts';
import type { CanaryDeployment } from './canary-deployment.ts';
import type { Authorization } from './configuration.ts';
import { countRestRejections, countThrottles, createLogGroup } from './logs.ts';
import type { ServiceFunction, SharedProps } from './service-function.ts';

type RestFunctions = { functions: ReadonlyMap<OperationName, ServiceFunction>; deployment: CanaryDeployment };

export class RestApi extends Construct {
  readonly api: HttpApi;
  readonly stage: HttpStage;

  constructor(scope: Construct, id: string, { functions, deployment }: RestFunctions, shared: SharedProps) {
    super(scope, id);
    const { name, rest, corsOrigins, throttleRate } = shared;
    // API Gateway answers OPTIONS itself: a route would require credentials, which preflights lack.
    const answersOptions = corsOrigins.length > 0;
    const api = new HttpApi(this, 'http', {
      apiName: name,
      createDefaultStage: false,
      ...(answersOptions ? { corsPreflight: createPreflight(corsOrigins) } : {}),
    });
    this.api = api;
    this.stage = new HttpStage(this, 'stage', {
      httpApi: api,
      autoDeploy: true,
      throttle: { rateLimit: throttleRate, burstLimit: Math.min(2 * throttleRate, MAX_BURST) },
      accessLogSettings: createAccessLog(this, shared),
    });
    const authorizer = createAuthorizer(rest);
    const scopes = typeof rest === 'string' ? undefined : rest.scopes;
    if (rest === 'none')
      acknowledge(api, {
        id: 'AwsSolutions-APIG4',
        reason: 'auth=none asks for an open API; the synthesis prints a warning.',
      });
    const ownRecordRoutes: HttpRoute[] = [];
    for (const [name, each] of functions) {
      const integration = new FunctionIntegration(name, deployment.liveAlias(each), api);
      // The process that synthesizes does not know the fields of the stack: `functions` has only offered ones.
      const served = allRoutes.filter(({ functionName }) => functionName === name);
      for (const { operation } of served)
        for (const { path } of responseFormats) {
          const added = api.addRoutes({
            path: `${path}${operation.path}`,
            methods: listRouteMethods(operation)
              .filter((method) => method !== 'OPTIONS' || !answersOptions)
              .map((method) => HttpMethod[method]),
            integration,
            authorizer,
            ...(scopes ? { authorizationScopes: [requireScope(scopes[operation.right])] } : {}),
          });
          if (operation.right === 'self') ownRecordRoutes.push(...added);
        }
    }
    if (ownRecordRoutes.length > 0) limitRoutes(this.stage, ownRecordRoutes, shared.selfRate);
  }
}

/**
 * `scope` is set wherever this is called: only the scopes of a custom authorizer may lack `self`, and own records do
 * not support it.
 */
function requireScope(scope: string | undefined): string {
  if (scope) return scope;
  throw new Error('A route has no scope');
}

/** API Gateway's quota of bursts per account and region. */
const MAX_BURST = 5_000;

/**
 * Limits routes of own records, so people cannot use up the limit of operators. CDK has no property for it:
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-apigatewayv2-stage-routesettings.html
 */
function limitRoutes(stage: HttpStage, routes: HttpRoute[], rate: number): void {
  stage.node.addDependency(...routes);
  const settings = routes.map((route) => [
    getRouteKey(route),
    { ThrottlingRateLimit: rate, ThrottlingBurstLimit: Math.min(rate, MAX_BURST) },
  ]);
  (stage.node.defaultChild as CfnStage).routeSettings = Object.fromEntries(settings); // The default child of a stage is a CfnStage.
}

const getRouteKey = ({ node }: HttpRoute): string => (node.defaultChild as CfnRoute).routeKey; // The default child of a route is a CfnRoute.

class FunctionIntegration extends HttpRouteIntegration {
  readonly #uri: string;

  constructor(id: string, target: IFunction, api: HttpApi) {
    super(id);
    this.#uri = target.functionArn;
    target.addPermission('rest', {
      principal: new ServicePrincipal('apigateway.amazonaws.com'),
      sourceArn: api.arnForExecuteApi(),
    });
  }

  override bind(): HttpRouteIntegrationConfig {
    return {
      type: HttpIntegrationType.AWS_PROXY,
      uri: this.#uri,
      payloadFormatVersion: PayloadFormatVersion.VERSION_2_0,
    };
  }
}

function createAuthorizer(rest: Authorization['rest']): IHttpRouteAuthorizer {
  if (typeof rest === 'string') return rest === 'iam' ? new HttpIamAuthorizer() : new HttpNoneAuthorizer();
  if ('authorizer' in rest) return rest.authorizer;
  return new HttpJwtAuthorizer('tokens', rest.issuer, { jwtAudience: rest.audience });
}

/**
 * Lists only headers that browsers do not always allow (the safelists of the Fetch standard). Never allows credentials.
 */
const createPreflight = (allowOrigins: string[]) => ({
  allowOrigins,
  allowMethods: [
    CorsHttpMethod.GET,
    CorsHttpMethod.POST,
    CorsHttpMethod.PUT,
    CorsHttpMethod.PATCH,
    CorsHttpMethod.DELETE,
  ],
  allowHeaders: REST_REQUEST_HEADERS,
  exposeHeaders: REST_RESPONSE_HEADERS,
  maxAge: Duration.hours(2),
});

/**
 * The only personal data is the IP address, which helps to find clients that guess tokens. Paths and queries would
 * contain ids and addresses.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-logging-variables.html
 */
export const ACCESS_LOG_FIELDS = {
  time: '$context.requestTime',
  requestId: '$context.requestId',
  route: '$context.routeKey',
  status: '$context.status',
  latency: '$context.responseLatency',
  functionLatency: '$context.integrationLatency',
  lambdaStatus: '$context.integrationStatus',
  sourceIp: '$context.identity.sourceIp',
  error: '$context.error.message',
  authorizerError: '$context.authorizer.error',
  functionError: '$context.integrationErrorMessage',
};

/**
 * Log groups named `/aws/vendedlogs/…` do not count towards the size limit of CloudWatch Logs' resource policy. The
 * suffix avoids the name that a deleted stack's group retains.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/AWS-logs-and-resource-policy.html
 */
function createAccessLog(scope: Construct, shared: SharedProps): IAccessLogSettings {
  const suffix = Fn.select(0, Fn.split('-', shared.stackUuid));
  const group = createLogGroup(scope, 'access', shared, `/aws/vendedlogs/${shared.name}-${suffix}`);
  countRestRejections(group, shared.name);
  countThrottles(group, shared.name);
  return {
    destination: new LogGroupLogDestination(group),
    format: AccessLogFormat.custom(JSON.stringify(ACCESS_LOG_FIELDS)),
  };
}
