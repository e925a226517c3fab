/** `command` synthesizes the app. */
export type App = { name: string; type: 'commonjs' | 'module'; file: string; text: string; command: string[] };

/** The README's example, and two more services in one stack, the second in another region. */
const BODY = `
const app = new App();
const stack = new Stack(app, 'Identity');
const users = new UserManagement(stack, 'Users', {
  auth: { issuer: 'https://id.example.com/', audience: ['web', 'mobile'] },
  graphqlConcurrency: 'unlimited',
  console: true,
  fields: { nickname: { type: 'string', maxLength: 20, unique: true } },
});
const staff = new UserManagement(stack, 'Staff', { tableName: 'staff', maxStreams: 10, canary: true });
staff.grantWrite(new Role(stack, 'Caller', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') }));
new CfnOutput(stack, 'Url', { value: users.graphqlUrl });
const other = new Stack(app, 'Elsewhere', { env: { region: 'eu-west-1' } });
new UserManagement(other, 'Users', { userPool: 'new', graphqlConcurrency: 'unlimited', callbackUrls: ['https://admin.example.com/'], table: new UsersTable(other, 'Data') });
`;

const IMPORTS = [
  ['{ App, CfnOutput, Stack }', 'aws-cdk-lib'],
  ['{ Role, ServicePrincipal }', 'aws-cdk-lib/aws-iam'],
  ['{ UserManagement, UsersTable }', 'user-management-service'],
];
const imported = IMPORTS.map(([names, from]) => `import ${names} from '${from}';\n`).join('') + BODY;
const required = IMPORTS.map(([names, from]) => `const ${names} = require('${from}');\n`).join('') + BODY;
const typed = `import type { TokenAuth, UserManagementProps } from 'user-management-service';
${imported}
const auth: TokenAuth = { issuer: 'https://id.example.com/', audience: 'web' };
const props: UserManagementProps = { auth, maxStreams: 5, graphqlConcurrency: 'unlimited' };
export const urls: [string, string] = [new UserManagement(new Stack(app, 'Typed'), 'Users', props).restUrl, staff.restUrl];
`;

export const apps = (tool: (name: string) => string): App[] => [
  { name: 'JavaScript, CommonJS', type: 'commonjs', file: 'app.js', text: required, command: ['app.js'] },
  {
    name: 'TypeScript, ES modules',
    type: 'module',
    file: 'app.ts',
    text: typed,
    command: [tool('tsx/dist/cli.mjs'), 'app.ts'],
  },
  { name: 'JavaScript, ES modules', type: 'module', file: 'app.mjs', text: imported, command: ['app.mjs'] },
  {
    name: 'TypeScript, CommonJS with tsx',
    type: 'commonjs',
    file: 'app.ts',
    text: typed,
    command: [tool('tsx/dist/cli.mjs'), 'app.ts'],
  },
  {
    name: 'TypeScript, CommonJS with ts-node',
    type: 'commonjs',
    file: 'app.ts',
    text: typed,
    command: [tool('ts-node/dist/bin.js'), 'app.ts'],
  },
];
