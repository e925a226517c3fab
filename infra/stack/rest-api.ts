import { Duration, Validations } from 'aws-cdk-lib';
import {
  CorsHttpMethod,
  HttpApi,
  HttpMethod,
  HttpNoneAuthorizer,
  HttpStage,
  type IHttpRouteAuthorizer,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer, HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { listRouteMethods } from '../../lib/rest/methods.ts';
import type { Operation } from '../../lib/rest/operation.ts';
import { type OperationName, operations } from '../../lib/rest/operations.ts';
import { responseFormats } from '../../lib/rest/response-formats.ts';
import type { Settings } from '../settings.ts';
import { createAccessLog } from './access-log.ts';
import { REST_REQUEST_HEADERS, REST_RESPONSE_HEADERS } from './cors.ts';
import type { SharedProps } from './service-function.ts';

/** The HTTP API: for each operation the routes of its methods in each response format, all to the function of that operation. */
export class RestApi extends Construct {
  readonly api: HttpApi;
  readonly stage: HttpStage;

  constructor(
    scope: Construct,
    id: string,
    liveAlias: (name: OperationName) => IFunction,
    { settings, key }: SharedProps,
  ) {
    super(scope, id);
    const { corsOrigins, throttleRate, throttleBurst } = settings;
    const api = new HttpApi(this, 'http', {
      apiName: settings.stackName,
      createDefaultStage: false,
      ...(corsOrigins.length > 0 ? { corsPreflight: createPreflight(corsOrigins) } : {}),
    });
    this.api = api;
    this.stage = new HttpStage(this, 'stage', {
      httpApi: api,
      autoDeploy: true,
      throttle: { rateLimit: throttleRate, burstLimit: throttleBurst },
      accessLogSettings: createAccessLog(this, { settings, key }),
    });
    const authorizer = createAuthorizer(settings);
    if (settings.auth === 'none')
      Validations.of(api).acknowledge({
        id: 'AwsSolutions-APIG4',
        reason: 'auth=none asks for an open API; the synthesis prints a warning.',
      });
    for (const [name, operation] of Object.entries<Operation>(operations)) {
      const integration = new HttpLambdaIntegration(name, liveAlias(name as OperationName));
      for (const { path } of responseFormats)
        api.addRoutes({
          path: `${path}${operation.path}`,
          methods: listRouteMethods(operation).map((method) => HttpMethod[method]),
          integration,
          authorizer,
          ...(settings.auth === 'jwt' ? { authorizationScopes: [operation.scope] } : {}),
        });
    }
  }
}

function createAuthorizer({ auth, issuer = '', audience = '' }: Settings): IHttpRouteAuthorizer {
  if (auth === 'jwt') return new HttpJwtAuthorizer('tokens', issuer, { jwtAudience: [audience] });
  return auth === 'iam' ? new HttpIamAuthorizer() : new HttpNoneAuthorizer();
}

/** Headers that browsers may send and read beyond the safelists of the Fetch standard. Credentials are never allowed. */
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
