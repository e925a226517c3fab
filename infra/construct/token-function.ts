import { Duration } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { createFunctionCode } from '../own-fields/bundled-file.ts';
import type { Tokens } from './configuration.ts';
import { createTokenGrant, TOKEN_FUNCTION } from './grants.ts';
import { allowLogging } from './logs.ts';
import { createRole, createSettingVariables, createVariables, type SharedProps } from './service-function.ts';

type Props = SharedProps & {
  /**
   * The user pool refers to the function by this name. A CloudFormation reference would be circular, because the
   * function's variables refer to a client of the pool.
   */
  functionName: string;
  peopleClientId: string;
  scopes: Tokens['scopes'];
};

export class TokenFunction extends LambdaFunction {
  readonly refusesSignIns: boolean;

  constructor(scope: Construct, props: Props) {
    const { functionName, peopleClientId, scopes, architecture, logGroup, fields, groupClaim } = props;
    const grant = createTokenGrant(fields);
    const refusesSignIns = grant.table.length > 0;
    const role = refusesSignIns ? createRole(scope, TOKEN_FUNCTION, grant, props) : createLoggerRole(scope, props);
    super(scope, TOKEN_FUNCTION, {
      functionName,
      runtime: Runtime.NODEJS_24_X,
      architecture: architecture ?? Architecture.ARM_64,
      code: createFunctionCode(TOKEN_FUNCTION, props),
      handler: `${TOKEN_FUNCTION}.handler`,
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      systemLogLevelV2: SystemLogLevel.WARN,
      // Cognito waits at most 5 s.
      timeout: Duration.seconds(5),
      memorySize: 512,
      environment: {
        ...(refusesSignIns ? createVariables(props) : {}),
        PEOPLE_CLIENT_ID: peopleClientId,
        AUTH_SELF_SCOPE: scopes.self,
        ...createSettingVariables('own records', props),
        ...(groupClaim === undefined ? {} : { GROUP_CLAIM: groupClaim, GROUP_SCOPE: scopes.group }),
      },
    });
    this.refusesSignIns = refusesSignIns;
  }
}

function createLoggerRole(scope: Construct, { logGroup }: SharedProps): Role {
  const role = new Role(scope, `${TOKEN_FUNCTION}-role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  allowLogging(role, logGroup);
  return role;
}
