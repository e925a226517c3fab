import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault, type IBackupVault } from 'aws-cdk-lib/aws-backup';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';

type Props = {
  table: ITableV2;
  backupDays: number;
  copyVaultArn: string | undefined;
  key: IKey | undefined;
};

/**
 * Backups are kept when the stack is deleted, but not when the deploy that creates the vault fails. See
 * https://docs.aws.amazon.com/aws-backup/latest/devguide/whatisbackup.html
 */
export class TableBackup extends Construct {
  /** Matches failed backups and copies. */
  readonly failures: Rule;

  constructor(scope: Construct, id: string, { table, backupDays, copyVaultArn, key }: Props) {
    super(scope, id);
    // A vault cannot change its key. Another id gives another name, because the former vault is kept.
    const vault = new BackupVault(this, key ? 'encrypted-vault' : 'vault', {
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      ...(key ? { encryptionKey: key } : {}),
    });
    const deleteAfter = Duration.days(backupDays);
    const copies = copyVaultArn
      ? [{ destinationBackupVault: BackupVault.fromBackupVaultArn(this, 'copies', copyVaultArn), deleteAfter }]
      : [];
    const plan = new BackupPlan(this, 'plan', {
      backupVault: vault as IBackupVault,
      backupPlanRules: [
        new BackupPlanRule({
          ruleName: 'daily',
          scheduleExpression: Schedule.cron({ hour: '3', minute: '0' }),
          deleteAfter,
          copyActions: copies,
        }),
      ],
    });
    plan.addSelection('table', { resources: [BackupResource.fromArn(table.tableArn)] });
    acknowledge(plan, {
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup]',
      reason: 'AWS maintains this policy for what AWS Backup does.',
    });
    // https://docs.aws.amazon.com/aws-backup/latest/devguide/eventbridge.html
    this.failures = new Rule(this, 'failures', {
      description: 'Failed backups of the table, and failed copies of backups',
      eventPattern: {
        source: ['aws.backup'],
        detailType: ['Backup Job State Change', 'Copy Job State Change'],
        detail: { state: ['FAILED', 'ABORTED', 'EXPIRED'], resourceArn: [table.tableArn] },
      },
    });
  }

  notify(topic: ITopic): void {
    // The grant has no condition, because EventBridge supports none:
    // https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html#eb-sns-permissions
    this.failures.addTarget(new SnsTopic(topic));
    // The first grant replaces the topic's default policy, which lets alarms publish.
    const fromThisAccount = { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } };
    topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions: fromThisAccount }));
  }
}
