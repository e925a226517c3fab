import { Validations } from 'aws-cdk-lib';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Alias, IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';

/**
 * How new code comes to callers: at once, or with canary=on a tenth of the calls for five minutes, then all. Where an
 * alarm rings meanwhile, all calls go back to the old version and the deploy fails.
 */
export class CanaryDeployment extends Construct {
  readonly #aliases: Alias[] = [];
  readonly #canary: boolean;

  constructor(scope: Construct, id: string, { canary }: Settings) {
    super(scope, id);
    this.#canary = canary;
  }

  /** What callers of the function have to call. */
  liveAlias(one: LambdaFunction): IFunction {
    if (!this.#canary) return one;
    const alias = one.addAlias('live');
    this.#aliases.push(alias);
    // CDK is not typed for exactOptionalPropertyTypes: to TypeScript an Alias is no IFunction.
    return alias as IFunction;
  }

  rollBackOn(alarms: Alarm[]): void {
    if (!this.#canary) return;
    const application = new LambdaApplication(this, 'application');
    const role = this.#role();
    for (const alias of this.#aliases)
      new LambdaDeploymentGroup(this, alias.lambda.node.id, {
        application,
        role,
        alias,
        alarms,
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      });
  }

  #role(): Role {
    const role = new Role(this, 'role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSCodeDeployRoleForLambdaLimited')],
    });
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
      reason: 'AWS keeps this policy in step with what CodeDeploy does to aliases and alarms.',
    });
    return role;
  }
}
