import { Token } from 'aws-cdk-lib';
import type { IHttpRouteAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Construct } from 'constructs';
import { listIssues } from '../own-fields/declarations.ts';
import { addMemberships, findMembershipIssue } from '../own-fields/memberships.ts';
import type { FieldDeclarations } from '../own-fields/rules.ts';
import {
  describeValues,
  findGroupIssue,
  plainPropNames,
  SettingError,
  type Settings,
  settings,
} from '../settings/settings.ts';
import { getDefaultStreams } from './concurrency.ts';
import type { PlainProps } from './plain-props.ts';
import type { AuthorizerAuth, Scopes, TokenAuth, UserManagementProps } from './props.ts';

type PlainSettings = Pick<Settings, keyof PlainProps>;

/** JavaScript callers have no compiler, so unknown props are rejected at runtime. */
const OTHER_PROPS: Record<Exclude<keyof UserManagementProps, keyof PlainProps>, true> = {
  auth: true,
  userPool: true,
  userPoolClientIds: true,
  table: true,
  encryptionKey: true,
  certificate: true,
  alarmTopic: true,
  logRetention: true,
  removalPolicy: true,
  deletionProtection: true,
  tableName: true,
  warmThroughput: true,
  maxThroughput: true,
  tableProps: true,
  functionProps: true,
  alarmThresholds: true,
  outputs: true,
  architecture: true,
  vpc: true,
  vpcSubnets: true,
  securityGroups: true,
  bundles: true,
};

type AllScopes = { [Right in keyof Scopes]-?: string };

export type Tokens = { issuer: string; audience: string[]; scopes: AllScopes };

/** Groups of tokens that grant rights. */
export type RequiredGroups = { claim: string; read: string | undefined; write: string | undefined };

export type Authorization = {
  rest: 'iam' | 'none' | Tokens | { authorizer: IHttpRouteAuthorizer; scopes?: Scopes | undefined };
  graphql: 'iam' | 'none' | Tokens;
};

/** False for a custom authorizer, even if it verifies tokens. */
export const verifiesTokens = (rest: Authorization['rest']): rest is Tokens =>
  typeof rest === 'object' && !('authorizer' in rest);

export type Configuration = Omit<PlainSettings, 'fields' | 'maxStreams'> &
  Authorization & { fields: FieldDeclarations; requiredGroups: RequiredGroups; maxStreams: number };

/** Validates each prop and adds defaults. `poolTokens` belong to the prop `userPool`. Throws SettingError. */
export function readProps(scope: Construct, props: UserManagementProps, poolTokens?: Tokens): Configuration {
  const reader = new PropReader(scope);
  reader.requireKnownNames(props);
  const values = plainPropNames.map((name) => [name, reader.read(name, props[name])]);
  // Cast: Object.fromEntries widens keys to string.
  const plain = Object.fromEntries(values) as PlainSettings;
  if (plain.webhookUrl) plain.events = true;
  const groupIssue = findGroupIssue(plain) ?? findMembershipIssue(plain.fields, plain);
  if (groupIssue) reader.reject(groupIssue.replace(/\.$/, ''));
  return {
    ...plain,
    fields: addMemberships(plain.fields, plain),
    maxStreams: plain.maxStreams ?? getDefaultStreams(plain),
    ...readAuthorization(reader, props, poolTokens),
    requiredGroups: readRequiredGroups(plain, props),
  };
}

export function readCallbackUrls(scope: Construct, props: UserManagementProps): string[] {
  const reader = new PropReader(scope);
  const { userPool, userPoolClient, domainName } = props;
  const given = reader.read('callbackUrls', props.callbackUrls);
  const urls = [...(domainName ? [`https://${domainName}/`] : []), ...given];
  const hasClient = userPool === 'new' || userPoolClient;
  if (hasClient && urls.length === 0)
    reader.reject(
      'a client of the user pool requires domainName, or callbackUrls, such as https://admin.example.com/, or http://localhost:3000/ for a trial',
    );
  return urls;
}

export type SelfSignUp = { appUrls: string[]; groups: string[] };

/** Called before `readProps`, because the pool is created before the other props are validated. */
export function readSelfSignUp(scope: Construct, props: UserManagementProps): SelfSignUp | undefined {
  const reader = new PropReader(scope);
  const appUrls = reader.read('selfSignUp', props.selfSignUp);
  if (appUrls.length === 0) return undefined;
  const groups = [reader.read('readGroup', props.readGroup), reader.read('writeGroup', props.writeGroup)];
  const [read = 'users-read', write = 'users-write'] = groups;
  return { appUrls, groups: [read, write] };
}

export class PropReader {
  readonly #path: string;

  constructor({ node }: Construct) {
    this.#path = node.path;
  }

  reject(reason: string): never {
    throw new SettingError(`${this.#path}: ${reason}.`);
  }

  /** Does not validate CDK tokens, because their values are known only at deployment. */
  read<Name extends keyof Settings>(setting: Name, value: unknown, name: string = setting): Settings[Name] {
    if (Token.isUnresolved(value)) return value as Settings[Name];
    const known = Array.isArray(value) ? value.filter((each) => !Token.isUnresolved(each)) : value;
    const result = settings.shape[setting].safeParse(known);
    if (result.success) return (Array.isArray(value) ? value : result.data) as Settings[Name];
    if (setting === 'fields') return this.reject(listIssues(value).join(' ').replace(/\.$/, ''));
    return this.reject(`${name} is ${JSON.stringify(known)}; expected: ${describeValues(setting)}`);
  }

  requireKnownNames(props: UserManagementProps): void {
    const known: string[] = [...plainPropNames, ...Object.keys(OTHER_PROPS)];
    const unknown = Object.keys(props).filter((name) => !known.includes(name));
    if (unknown.length > 0)
      this.reject(`unknown prop ${unknown.join(', ')}; the props are ${known.toSorted().join(', ')}`);
  }
}

function readAuthorization(
  reader: PropReader,
  { auth, userPool }: UserManagementProps,
  poolTokens?: Tokens,
): Authorization {
  if (userPool && auth) reader.reject('userPool replaces auth; give only one of them');
  if (poolTokens) return { rest: poolTokens, graphql: poolTokens };
  if (auth === undefined || auth === 'iam' || auth === 'none') return { rest: auth ?? 'iam', graphql: auth ?? 'iam' };
  if (isAuthorizer(auth)) {
    // A route requires one scope, but lists and lookups share a route. The other scopes only apply to GraphQL.
    const other = Object.keys(auth.scopes ?? {}).find((name) => name !== 'read' && name !== 'write');
    if (other) reader.reject(`auth.scopes.${other} has no effect with your own authorizer: check it there`);
    const graphql = auth.graphql === 'iam' ? 'iam' : readTokens(reader, auth.graphql, 'auth.graphql');
    return { rest: { authorizer: auth.authorizer, scopes: auth.scopes }, graphql };
  }
  const tokens = readTokens(reader, auth, 'auth');
  return { rest: tokens, graphql: tokens };
}

/**
 * An existing pool may let people register themselves, like `selfSignUp`. Groups are then required by default, so that
 * signing in alone grants no rights.
 */
function readRequiredGroups(
  { groupsClaim, readGroup, writeGroup, selfSignUp }: PlainSettings,
  { userPool }: UserManagementProps,
): RequiredGroups {
  const isOpen = selfSignUp.length > 0 || (userPool !== undefined && userPool !== 'new');
  return {
    claim: groupsClaim ?? (userPool ? 'cognito:groups' : 'groups'),
    read: readGroup ?? (isOpen ? 'users-read' : undefined),
    write: writeGroup ?? (isOpen ? 'users-write' : undefined),
  };
}

const isAuthorizer = (auth: TokenAuth | AuthorizerAuth): auth is AuthorizerAuth =>
  typeof auth === 'object' && auth !== null && 'authorizer' in auth;

/** A CDK token of type string is one audience. `read` splits other strings at commas. */
const toList = (audience: string | string[]) =>
  typeof audience === 'string' && Token.isUnresolved(audience) ? [audience] : audience;

function readTokens(reader: PropReader, auth: TokenAuth | undefined, name: string): Tokens {
  if (typeof auth !== 'object' || auth === null || !auth.issuer || !auth.audience?.length)
    return reader.reject(`${name} is ${JSON.stringify(auth)}; expected: 'iam', or an issuer and its audience`);
  return {
    issuer: reader.read('issuer', auth.issuer, `${name}.issuer`) ?? '',
    audience: reader.read('audience', toList(auth.audience), `${name}.audience`),
    scopes: readScopes(reader, auth.scopes, `${name}.scopes`),
  };
}

function readScopes(reader: PropReader, scopes: Partial<Scopes> = {}, name: string): AllScopes {
  const read = reader.read('readScope', scopes.read, `${name}.read`);
  return {
    read,
    list: reader.read('listScope', scopes.list, `${name}.list`) ?? read,
    history: reader.read('historyScope', scopes.history, `${name}.history`),
    write: reader.read('writeScope', scopes.write, `${name}.write`),
    erase: reader.read('eraseScope', scopes.erase, `${name}.erase`),
    self: reader.read('selfScope', scopes.self, `${name}.self`),
    group: reader.read('groupScope', scopes.group, `${name}.group`),
  };
}
