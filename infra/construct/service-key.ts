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

/**
 * Lets alarms and rules send to topics and queues that this key encrypts, such as a topic of the team. Has no effect on an
 * imported key.
 */
export function allowNotifications(scope: Construct, key: IKey): void {
  // https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Notify_Users_Alarm_Changes.html
  key.grantEncryptDecrypt(
    new ServicePrincipal('cloudwatch.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  );
  // No condition: "Adding the aws:SourceAccount [or] aws:SourceArn to a AWS KMS policy is not supported for
  // EventBridge-to-encrypted topics." AWS documents none for queues either. A condition could lose events of a queue
  // and of its dead-letter queue, because both share the key. Other accounts cannot use the key to read, and queues
  // have their own conditions.
  // https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html#compatibility-with-aws-services
  // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html#compatibility-with-aws-services
  // DescribeKey: CDK's grant for a bus requires an encryption context, which that request does not have.
  key.grant(new ServicePrincipal('events.amazonaws.com'), 'kms:Decrypt', 'kms:DescribeKey', 'kms:GenerateDataKey*');
}
