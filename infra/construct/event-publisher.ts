import { Names, Stack } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { CfnRegistry, CfnSchema } from 'aws-cdk-lib/aws-eventschemas';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { createEventSchemas, groupEventSchemas, toRegistrySchema } from '../events/schemas.ts';
import type { SharedProps } from './service-function.ts';
import { StreamConsumer } from './stream-consumer.ts';

/** Reads the stream separately from `on-change`, so a failure of one does not delay the other. */
export class EventPublisher extends StreamConsumer {
  readonly bus: EventBus;
  readonly eventSource: string;

  constructor(scope: Construct, id: string, shared: SharedProps) {
    const { name, key } = shared;
    const eventSource = `user-management/${name}`;
    const environment = { EVENT_BUS_NAME: name, EVENT_SOURCE: eventSource };
    super(scope, id, 'publish-events', shared, { environment });
    this.eventSource = eventSource;
    this.bus = new EventBus(this, 'bus', {
      eventBusName: name,
      description: 'Changes of users and posts, as CloudEvents',
      // If the key is disabled, the bus cannot decrypt accepted events, and sends them to this queue.
      ...(key ? { kmsKey: key, deadLetterQueue: this.deadLetters as IQueue } : {}),
    });
    if (key) this.#letBusUseQueue(name);
    this.bus.grantPutEventsTo(this.function);
    this.#registerSchemas(scope, shared);
  }

  /** https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-encryption-event-bus-dlq.html */
  #letBusUseQueue(busName: string): void {
    const { region, account, partition } = Stack.of(this);
    const bus = `arn:${partition}:events:${region}:${account}:event-bus/${busName}`;
    this.deadLetters.grantSendMessages(
      new ServicePrincipal('events.amazonaws.com', { conditions: { ArnEquals: { 'aws:SourceArn': bus } } }),
    );
  }

  #registerSchemas(scope: Construct, { fields, groups }: SharedProps): void {
    const { attrRegistryName: registryName } = new CfnRegistry(this, 'schemas', {
      registryName: Names.uniqueResourceName(scope, { maxLength: 64, separator: '-', allowedSpecialCharacters: '-' }),
      description: 'Changes of users and posts',
    });
    const ownFields = Object.entries(fields).map(([name, declaration]) => ({ ...declaration, name }));
    const schemas = { ...createEventSchemas(ownFields), ...(groups ? groupEventSchemas : {}) };
    for (const [type, schema] of Object.entries(schemas))
      new CfnSchema(this, type, {
        registryName,
        schemaName: type,
        type: 'JSONSchemaDraft4',
        content: JSON.stringify(toRegistrySchema(type, schema)),
      });
  }
}
