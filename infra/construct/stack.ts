import { type App, ArnFormat, type Environment, Stack, Stage } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { UserPool } from 'aws-cdk-lib/aws-cognito';
import { type ITableV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Architecture } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { tableSchema } from '../../lib/dynamodb/keys.ts';
import { DEFAULT_ENVIRONMENT } from '../settings/environment.ts';
import { plainPropNames, type Settings } from '../settings/settings.ts';
import type { PlainProps } from './plain-props.ts';
import type { Scopes, UserManagementProps } from './props.ts';
import { ServiceKey } from './service-key.ts';
import { UserManagement } from './user-management.ts';

export function addEnvironment(app: App, name: string, settings: Settings, bundles: string): UserManagementStack {
  const scope = name === DEFAULT_ENVIRONMENT ? app : new Stage(app, name);
  return new UserManagementStack(scope, settings, bundles);
}

export class UserManagementStack extends Stack {
  constructor(scope: Construct, settings: Settings, bundles: string) {
    super(scope, settings.stackName, {
      // CDK would prefix the name of the stage.
      stackName: settings.stackName,
      description: 'User Management Service: users and their posts',
      terminationProtection: settings.deletionProtection,
      env: createEnvironment(settings),
    });
    // CDK omits the id `Default` from logical ids and names.
    new UserManagement(this, 'Default', { ...toProps(this, settings), outputs: true, bundles });
  }
}

const createEnvironment = ({ account, region }: Settings): Environment => ({
  ...(account ? { account } : {}),
  ...(region ? { region } : {}),
});

function toProps(scope: Construct, settings: Settings): UserManagementProps {
  const { deletionProtection, restoredStream } = settings;
  return {
    ...pickPlainProps(settings),
    ...toAccess(scope, settings),
    ...(restoredStream
      ? { table: importTable(scope, restoredStream) }
      : {
          deletionProtection,
          tableName: settings.tableName,
          maxThroughput: { readUnitsPerSecond: settings.maxReadUnits, writeUnitsPerSecond: settings.maxWriteUnits },
        }),
    logRetention: settings.logRetentionDays,
    architecture: settings.architecture === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64,
    certificate: importCertificate(scope, settings),
    // Cast: CDK's types do not satisfy `exactOptionalPropertyTypes`.
    encryptionKey: settings.customerManagedKey ? (new ServiceKey(scope, 'key') as IKey) : undefined,
  };
}

function pickPlainProps(settings: Settings): PlainProps {
  const values = plainPropNames.map((name) => [name, settings[name]]);
  // Cast: Object.fromEntries widens keys to string.
  return Object.fromEntries(values) as Pick<Settings, keyof PlainProps>;
}

function toAccess(
  scope: Construct,
  settings: Settings,
): Pick<UserManagementProps, 'auth' | 'userPool' | 'userPoolClientIds'> {
  const { auth, issuer = '', audience, userPoolId } = settings;
  if (auth === 'jwt') return { auth: { issuer, audience, scopes: toScopes(settings) } };
  if (auth !== 'cognito') return { auth };
  if (!userPoolId) return { userPool: 'new' };
  return { userPool: UserPool.fromUserPoolId(scope, 'user-pool', userPoolId), userPoolClientIds: audience };
}

const toScopes = ({
  readScope,
  listScope,
  historyScope,
  writeScope,
  eraseScope,
  selfScope,
  groupScope,
}: Settings): Scopes => ({
  read: readScope,
  list: listScope,
  history: historyScope,
  write: writeScope,
  erase: eraseScope,
  self: selfScope,
  group: groupScope,
});

const importCertificate = (scope: Construct, { certificateArn }: Settings) =>
  certificateArn ? Certificate.fromCertificateArn(scope, 'certificate', certificateArn) : undefined;

function importTable(scope: Construct, tableStreamArn: string): ITableV2 {
  // arn:…:table/<name>/stream/<time>
  const [tableName = ''] =
    Stack.of(scope).splitArn(tableStreamArn, ArnFormat.SLASH_RESOURCE_NAME).resourceName?.split('/') ?? [];
  return TableV2.fromTableAttributes(scope, 'restored-table', {
    tableName,
    tableStreamArn,
    globalIndexes: [tableSchema.index.name],
  });
}
