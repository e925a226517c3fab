import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  type CfnGlobalTable,
  type ITableV2,
  ProjectionType,
  StreamViewType,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import type { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import { tableSchema } from './table-schema.ts';

const text = (name: string) => ({ name, type: AttributeType.STRING });

/** The one table: the stack's own, or the one that was restored from it, by the ARN of its stream. */
export const usersTable = (scope: Construct, { restoredStream }: Settings, key: Key | undefined): ITableV2 =>
  // CDK is not typed for exactOptionalPropertyTypes: to TypeScript a TableV2 is no ITableV2.
  restoredStream ? restoredTable(scope, restoredStream) : (new UsersTable(scope, 'table', key) as ITableV2);

function restoredTable(scope: Construct, tableStreamArn: string): ITableV2 {
  // arn:…:table/<name>/stream/<time>
  const [tableName = ''] =
    Stack.of(scope).splitArn(tableStreamArn, ArnFormat.SLASH_RESOURCE_NAME).resourceName?.split('/') ?? [];
  return TableV2.fromTableAttributes(scope, 'restored-table', {
    tableName,
    tableStreamArn,
    globalIndexes: [tableSchema.index.name],
  });
}

/** It outlives the stack, and can be restored to any second of the last 35 days. */
class UsersTable extends TableV2 {
  constructor(scope: Construct, id: string, key: Key | undefined) {
    const { partitionKey, sortKey, index, timeToLive } = tableSchema;
    super(scope, id, {
      partitionKey: text(partitionKey),
      sortKey: text(sortKey),
      globalSecondaryIndexes: [
        {
          indexName: index.name,
          partitionKey: text(index.partitionKey),
          sortKey: text(index.sortKey),
          projectionType: ProjectionType.INCLUDE,
          nonKeyAttributes: [...index.projected],
        },
      ],
      timeToLiveAttribute: timeToLive,
      billing: Billing.onDemand(),
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    if (key) this.#encryptWith(key);
  }

  /** TableV2 takes a key only where the region is known at synthesis; CloudFormation needs no such thing. */
  #encryptWith(key: Key): void {
    // The child of a TableV2 is its CfnGlobalTable.
    const resource = this.node.defaultChild as CfnGlobalTable;
    resource.addPropertyOverride('SSESpecification', { SSEEnabled: true, SSEType: 'KMS' });
    resource.addPropertyOverride('Replicas.0.SSESpecification.KMSMasterKeyId', key.keyArn);
  }
}
