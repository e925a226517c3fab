import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';

/** Kept when the stack is deleted, because the retained table needs it. Deleted if the deploy that creates it fails. */
export class ServiceKey extends Key {
  constructor(scope: Construct, id: string) {
    super(scope, id, { enableKeyRotation: true, removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE });
  }
}

/** Lets alarms notify a topic that a team encrypts with this key. Has no effect on an imported key. */
export function allowAlarms(scope: Construct, key: IKey): void {
  // https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Notify_Users_Alarm_Changes.html
  key.grantEncryptDecrypt(
    new ServicePrincipal('cloudwatch.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  );
}
