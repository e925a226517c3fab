import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
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
  constructor(scope: Construct, id: string, { key }: { key: Key | undefined }) {
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
      ...(key ? { encryption: TableEncryptionV2.customerManagedKey(key) } : {}),
    });
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
