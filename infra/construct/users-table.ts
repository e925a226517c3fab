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
import { tableSchema } from '../../lib/dynamodb/keys.ts';
import type { Settings } from '../settings.ts';

const defineString = (name: string) => ({ name, type: AttributeType.STRING });

/** The table of the stack, or the restored table that replaces it, identified by the ARN of its stream. */
export const createUsersTable = (scope: Construct, settings: Settings, key: Key | undefined): ITableV2 =>
  // CDK is not typed for exactOptionalPropertyTypes, so TypeScript does not accept a TableV2 as an ITableV2.
  settings.restoredStream
    ? importRestoredTable(scope, settings.restoredStream)
    : (new UsersTable(scope, 'table', settings, key) as ITableV2);

function importRestoredTable(scope: Construct, tableStreamArn: string): ITableV2 {
  // arn:…:table/<name>/stream/<time>
  const [tableName = ''] =
    Stack.of(scope).splitArn(tableStreamArn, ArnFormat.SLASH_RESOURCE_NAME).resourceName?.split('/') ?? [];
  return TableV2.fromTableAttributes(scope, 'restored-table', {
    tableName,
    tableStreamArn,
    globalIndexes: [tableSchema.index.name],
  });
}

/**
 * The table is kept when the stack is deleted, and can be restored to any second of the last 35 days. When the deploy that creates it
 * fails, an unprotected table is deleted. A protected one is kept, as its deletion would fail and block the next deploy.
 */
class UsersTable extends TableV2 {
  constructor(scope: Construct, id: string, { deletionProtection }: Settings, key: Key | undefined) {
    const { partitionKey, sortKey, index, timeToLive } = tableSchema;
    super(scope, id, {
      partitionKey: defineString(partitionKey),
      sortKey: defineString(sortKey),
      globalSecondaryIndexes: [
        {
          indexName: index.name,
          partitionKey: defineString(index.partitionKey),
          sortKey: defineString(index.sortKey),
          projectionType: ProjectionType.ALL,
        },
      ],
      timeToLiveAttribute: timeToLive,
      billing: Billing.onDemand(),
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection,
      removalPolicy: deletionProtection ? RemovalPolicy.RETAIN : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    if (key) this.#encryptWith(key);
  }

  /** TableV2 accepts a key only if the region is known at synthesis; CloudFormation has no such limit. */
  #encryptWith(key: Key): void {
    // The child of a TableV2 is its CfnGlobalTable.
    const resource = this.node.defaultChild as CfnGlobalTable;
    resource.addPropertyOverride('SSESpecification', { SSEEnabled: true, SSEType: 'KMS' });
    resource.addPropertyOverride('Replicas.0.SSESpecification.KMSMasterKeyId', key.keyArn);
  }
}
