import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  CfnGlobalTable,
  ProjectionType,
  StreamViewType,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { tableSchema } from '../../lib/dynamodb/keys.ts';
import { SettingError } from '../settings/settings.ts';
import { PropReader } from './configuration.ts';
import type { UsersTableProps } from './props.ts';

const defineString = (name: string) => ({ name, type: AttributeType.STRING });

const findTables = (scope: Construct) =>
  Stack.of(scope)
    .node.findAll()
    .filter((each) => each instanceof CfnGlobalTable);

function requireOneTable(scope: Construct, tableName: string): void {
  if (findTables(scope).some((table) => table.tableName === tableName))
    throw new SettingError(`${scope.node.path}: the stack already has a table ${tableName}; set another tableName.`);
}

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-integration */
const NO_REPLICAS =
  'the table cannot have replicas: DynamoDB checks conditions in one region only, so users in two regions could get the same address';

/**
 * Kept when the stack is deleted. If the deploy that creates the table fails, deletion protection also keeps it,
 * because a failed deletion would block the next deploy.
 */
export class UsersTable extends TableV2 {
  /** Gives functions in other stacks that use this table access to its key. */
  declare readonly encryptionKey?: IKey;

  constructor(scope: Construct, id: string, props: UsersTableProps = {}) {
    const { partitionKey, sortKey, index, timeToLive } = tableSchema;
    const { encryptionKey, removalPolicy, warmThroughput, maxThroughput = {}, tableProps } = props;
    const reader = new PropReader(scope);
    const { readUnitsPerSecond, writeUnitsPerSecond } = maxThroughput;
    const maxReadRequestUnits = reader.read('maxReadUnits', readUnitsPerSecond, 'maxThroughput.readUnitsPerSecond');
    const maxWriteRequestUnits = reader.read('maxWriteUnits', writeUnitsPerSecond, 'maxThroughput.writeUnitsPerSecond');
    const { deletionProtection = removalPolicy !== RemovalPolicy.DESTROY } = props;
    // CloudFormation would reject a second table with this name only during the deploy.
    const { tableName = `${Stack.of(scope).stackName}-users` } = props;
    requireOneTable(scope, tableName);
    if (tableProps && 'replicas' in tableProps) reader.reject(NO_REPLICAS);
    super(scope, id, {
      tableName,
      partitionKey: defineString(partitionKey),
      sortKey: defineString(sortKey),
      globalSecondaryIndexes: [
        {
          indexName: index.name,
          partitionKey: defineString(index.partitionKey),
          sortKey: defineString(index.sortKey),
          projectionType: ProjectionType.INCLUDE,
          nonKeyAttributes: [...index.projection],
          maxReadRequestUnits,
          maxWriteRequestUnits,
          ...(warmThroughput ? { warmThroughput } : {}),
        },
      ],
      timeToLiveAttribute: timeToLive,
      billing: Billing.onDemand({ maxReadRequestUnits, maxWriteRequestUnits }),
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      ...(warmThroughput ? { warmThroughput } : {}),
      deletionProtection,
      removalPolicy:
        removalPolicy ?? (deletionProtection ? RemovalPolicy.RETAIN : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE),
      ...tableProps,
    });
    if (!encryptionKey) return;
    this.encryptionKey = encryptionKey;
    this.#encryptWith(encryptionKey);
  }

  override addReplica(): never {
    throw new SettingError(`${this.node.path}: ${NO_REPLICAS}.`);
  }

  /** TableV2 accepts a key only if the region is known at synthesis. */
  #encryptWith(key: IKey): void {
    // The default child of a TableV2 is a CfnGlobalTable.
    const resource = this.node.defaultChild as CfnGlobalTable;
    resource.addPropertyOverride('SSESpecification', { SSEEnabled: true, SSEType: 'KMS' });
    resource.addPropertyOverride('Replicas.0.SSESpecification.KMSMasterKeyId', key.keyArn);
  }
}
