import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createCleanEnvironment } from './environment.ts';
import { ROOT, run, runNode, WORK_DIR } from './run.ts';

export const TEAM_STACK = 'Team';

const TEXT = `
const { App, Aspects, CfnOutput, RemovalPolicy, Stack } = require('aws-cdk-lib');
const { UserManagement } = require('user-management-service');
const { forEmulator } = require('${join(ROOT, 'test/e2e/for-emulator.ts')}');

const stack = new Stack(new App(), '${TEAM_STACK}');
const users = new UserManagement(stack, 'Users', {
  auth: 'none', graphqlConcurrency: 'unlimited', maxStreams: 20, removalPolicy: RemovalPolicy.DESTROY,
});
Aspects.of(stack).add(forEmulator);
new CfnOutput(stack, 'ApiUrl', { value: users.restUrl });
new CfnOutput(stack, 'GraphqlUrl', { value: users.graphqlUrl });
new CfnOutput(stack, 'TableName', { value: users.table.tableName });
`;

/** Uses only the package and CDK. Returns the assembly. */
export async function synthesizeTeamApp(): Promise<string> {
  const folder = join(WORK_DIR, 'team-app');
  const packages = join(folder, 'node_modules');
  await run(process.execPath, [join(ROOT, 'infra/package/build.ts')]);
  await rm(folder, { recursive: true, force: true });
  await mkdir(packages, { recursive: true });
  await symlink(join(ROOT, 'dist'), join(packages, 'user-management-service'));
  for (const name of ['aws-cdk-lib', 'constructs'])
    await symlink(join(ROOT, 'node_modules', name), join(packages, name));
  const app = join(folder, 'app.js');
  await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }');
  await writeFile(app, TEXT);
  const assembly = join(folder, 'cdk.out');
  // Otherwise Node.js looks for CDK next to the linked package.
  const command = `${process.execPath} --preserve-symlinks --preserve-symlinks-main ${app}`;
  await runNode(
    'aws-cdk/bin/cdk',
    ['synth', '--quiet', '--app', command, '--output', assembly],
    createCleanEnvironment(),
  );
  return assembly;
}
