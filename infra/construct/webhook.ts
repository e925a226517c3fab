import { Duration } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { MAX_ATTEMPTS, MAX_PAUSE_SECONDS } from '../../lib/features/events/webhook-retries.ts';
import { acknowledge } from './acknowledge.ts';
import { WEBHOOK_CONCURRENCY } from './concurrency.ts';
import type { EventPublisher } from './event-publisher.ts';
import { ServiceFunction, type SharedProps } from './service-function.ts';

type Source = Pick<EventPublisher, 'bus' | 'eventSource'>;

/** A queue keeps each event until the URL accepts it. */
export class Webhook extends Construct {
  readonly function: ServiceFunction;
  /** Signs requests. Its value may start with `whsec_`, but does not have to. */
  readonly secret: Secret;
  readonly deadLetters: Queue;
  readonly rule: Rule;
  readonly busName: string;

  constructor(scope: Construct, id: string, webhookUrl: string, { bus, eventSource }: Source, shared: SharedProps) {
    super(scope, id);
    const { key } = shared;
    this.secret = createSecret(this, key);
    this.deadLetters = createQueue(this, 'dead-letters', key);
    const queue = createQueue(this, 'queue', key, {
      visibilityTimeout: Duration.seconds(MAX_PAUSE_SECONDS),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: MAX_ATTEMPTS },
    });
    this.busName = bus.eventBusName;
    this.rule = new Rule(this, 'rule', {
      eventBus: bus,
      description: 'Changes of users and posts for the webhook',
      eventPattern: { source: [eventSource] },
      targets: [{ bind: () => ({ arn: queue.queueArn, deadLetterConfig: { arn: this.deadLetters.queueArn } }) }],
    });
    // Not CDK's target, which requires aws:SourceAccount for the key of an encrypted queue: see `allowNotifications`.
    for (const each of [queue, this.deadLetters])
      each.addToResourcePolicy(
        new PolicyStatement({
          principals: [new ServicePrincipal('events.amazonaws.com')],
          actions: ['sqs:SendMessage'],
          resources: [each.queueArn],
          conditions: { ArnEquals: { 'aws:SourceArn': this.rule.ruleArn } },
        }),
      );
    this.function = new ServiceFunction(this, 'post-webhook', shared, {
      // The request times out after 15 s.
      timeout: Duration.minutes(1),
      memorySize: 256,
      environment: {
        WEBHOOK_URL: webhookUrl,
        WEBHOOK_SECRET_ARN: this.secret.secretArn,
        WEBHOOK_QUEUE_URL: queue.queueUrl,
      },
    });
    this.function.addToRolePolicy(
      new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [this.secret.secretArn] }),
    );
    this.function.addEventSource(
      new SqsEventSource(queue, {
        batchSize: 10,
        maxConcurrency: WEBHOOK_CONCURRENCY,
        reportBatchItemFailures: true,
      }),
    );
  }
}

/** Creates 44 letters and digits: 262 random bits. Receivers decode them as base64, to 33 bytes. */
function createSecret(scope: Construct, key: IKey | undefined): Secret {
  const secret = new Secret(scope, 'secret', {
    description: 'Signs the webhook of users and posts. Receivers verify with whsec_ and this value.',
    generateSecretString: { passwordLength: 44, excludePunctuation: true },
    ...(key ? { encryptionKey: key } : {}),
  });
  acknowledge(secret, {
    id: 'AwsSolutions-SMG4',
    reason:
      'Receivers must get a new secret before they can verify with it, so an operator rotates it (infra/events.md).',
  });
  return secret;
}

/** The queue is encrypted, because messages contain complete events. */
const createQueue = (scope: Construct, id: string, key: IKey | undefined, props: QueueProps = {}) =>
  new Queue(scope, id, {
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
    ...(key
      ? { encryption: QueueEncryption.KMS, encryptionMasterKey: key }
      : { encryption: QueueEncryption.SQS_MANAGED }),
    ...props,
  });
