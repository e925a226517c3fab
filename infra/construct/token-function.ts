import { join } from 'node:path';
import { Duration } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { TOKEN_FUNCTION } from './grants.ts';
import { allowLogging } from './logs.ts';
import { createSettingVariables, type SharedProps } from './service-function.ts';

type Props = SharedProps & {
  /**
   * The user pool refers to the function by this name. A CloudFormation reference would be circular, because the
   * function's variables refer to a client of the pool.
   */
  functionName: string;
  peopleClientId: string;
  selfScope: string;
};

export class TokenFunction extends LambdaFunction {
  constructor(scope: Construct, props: Props) {
    const { functionName, peopleClientId, selfScope, architecture, bundles, logGroup } = props;
    const role = new Role(scope, `${TOKEN_FUNCTION}-role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    allowLogging(role, logGroup);
    super(scope, TOKEN_FUNCTION, {
      functionName,
      runtime: Runtime.NODEJS_24_X,
      architecture: architecture ?? Architecture.ARM_64,
      code: Code.fromAsset(join(bundles, TOKEN_FUNCTION)),
      handler: `${TOKEN_FUNCTION}.handler`,
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      systemLogLevelV2: SystemLogLevel.WARN,
      // Cognito waits at most 5 s.
      timeout: Duration.seconds(5),
      memorySize: 512,
      environment: {
        PEOPLE_CLIENT_ID: peopleClientId,
        AUTH_SELF_SCOPE: selfScope,
        ...createSettingVariables('own records', props),
      },
    });
  }
}
