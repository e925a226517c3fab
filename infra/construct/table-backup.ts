import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault, type IBackupVault } from 'aws-cdk-lib/aws-backup';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Schedule } from 'aws-cdk-lib/aws-events';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';

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
  }
}
