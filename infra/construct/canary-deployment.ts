import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Alias, IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import type { SharedProps } from './service-function.ts';

/**
 * APIs invoke aliases, so one deploy can switch all requests, e.g. to a restored table. An alarm during the five
 * minutes of a canary rolls back and fails the deploy.
 */
export class CanaryDeployment extends Construct {
  readonly #aliases: Alias[] = [];
  readonly #canary: boolean;

  constructor(scope: Construct, id: string, { canary }: Pick<SharedProps, 'canary'>) {
    super(scope, id);
    this.#canary = canary;
  }

  liveAlias(target: LambdaFunction): IFunction {
    const alias = target.addAlias('live');
    this.#aliases.push(alias);
    // Cast: CDK's types do not satisfy `exactOptionalPropertyTypes`.
    return alias as IFunction;
  }

  rollBackOn(alarms: Alarm[]): void {
    if (!this.#canary) return;
    const application = new LambdaApplication(this, 'application');
    const role = this.#createRole();
    for (const alias of this.#aliases)
      new LambdaDeploymentGroup(this, alias.lambda.node.id, {
        application,
        role,
        alias,
        alarms,
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      });
  }

  #createRole(): Role {
    // LambdaDeploymentGroup attaches the policy.
    const role = new Role(this, 'role', { assumedBy: new ServicePrincipal('codedeploy.amazonaws.com') });
    acknowledge(role, {
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
      reason: 'AWS maintains this policy for what CodeDeploy does with aliases and alarms.',
    });
    return role;
  }
}
