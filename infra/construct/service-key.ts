import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';

/**
 * The KMS key that customerManagedKey adds. Kept when the stack is deleted, because the retained table is encrypted with it. Deleted if the
 * deploy that creates it fails.
 */
export class ServiceKey extends Key {
  constructor(scope: Construct, id: string) {
    super(scope, id, { enableKeyRotation: true, removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE });
  }
}

/**
 * Allows CloudWatch Logs and alarms to use the key: Logs to read log lines that earlier versions encrypted, alarms to notify a team's topic
 * that the key encrypts. Has no effect on an imported key.
 */
export function allowLogsAndAlarms(scope: Construct, key: IKey): void {
  const { region, account, partition } = Stack.of(scope);
  // The permissions are documented at https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/encrypt-log-data-kms.html
  const logGroups = { 'kms:EncryptionContext:aws:logs:arn': `arn:${partition}:logs:${region}:${account}:*` };
  key.grantEncryptDecrypt(new ServicePrincipal(`logs.${region}.amazonaws.com`, { conditions: { ArnLike: logGroups } }));
  // See https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Notify_Users_Alarm_Changes.html
  key.grantEncryptDecrypt(
    new ServicePrincipal('cloudwatch.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': account } },
    }),
  );
}
