import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  type CfnGlobalTable,
  ProjectionType,
  StreamViewType,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Grant } from './grants.ts';
import { tableShape } from './table.ts';

const text = (name: string) => ({ name, type: AttributeType.STRING });

/** The one table. It outlives the stack, and can be restored to any second of the last 35 days. */
export class UsersTable extends TableV2 {
  constructor(scope: Construct, id: string, key: Key | undefined) {
    const { partitionKey, sortKey, index, timeToLive } = tableShape;
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

  /** Exactly the actions of the grant: CDK's own grants always take the indexes in. */
  allow(role: IRole, { table, index = [] }: Grant): void {
    const places: [string[], string][] = [
      [table, this.tableArn],
      [index, `${this.tableArn}/index/${tableShape.index.name}`],
    ];
    for (const [actions, resource] of places)
      if (actions.length > 0)
        role.addToPrincipalPolicy(
          new PolicyStatement({ actions: actions.map((action) => `dynamodb:${action}`), resources: [resource] }),
        );
  }
}
