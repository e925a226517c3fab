import { type Settings, settings } from './settings.ts';

type Name = keyof Settings;

/** The first settings of the page, which are enough for most deployments that accept tokens. */
const FIRST: Name[] = ['auth', 'issuer', 'audience', 'concurrency', 'graphqlConcurrency', 'alarmEmail'];

const OPTIONAL: Record<string, Name[]> = {
  'The stack': ['stackName', 'account', 'region', 'canary', 'deletionProtection', 'customerManagedKey'],
  'Users and their changes': [
    'fields',
    'groups',
    'maxGroups',
    'groupRoles',
    'groupClaim',
    'groupAdminRoles',
    'groupScope',
    'sortByName',
    'domainSearch',
    'historyDays',
    'events',
    'webhookUrl',
    'backupDays',
    'backupCopyVaultArn',
  ],
  'Who may do what': [
    'groupsClaim',
    'readGroup',
    'writeGroup',
    'listScope',
    'userPoolId',
    'userPoolClient',
    'callbackUrls',
  ],
  'Own records': ['selfSignUp', 'selfDelete', 'selfLink', 'emailFollows'],
  'Addresses and console': ['domainName', 'certificateArn', 'corsOrigins', 'console', 'consoleClientId'],
  Operation: ['dashboard', 'runbookUrl', 'logRetentionDays', 'tracing', 'serverTiming'],
};

const named = new Set([...FIRST, ...Object.values(OPTIONAL).flat()]);

/** Returns the content of README.md. Settings without a topic come last. */
export function createSettingsPage(): string {
  const topics = Object.entries(OPTIONAL).map(([topic, names]) => `### ${topic}\n\n${createTable(names)}`);
  const rest = (Object.keys(settings.shape) as Name[]).filter((name) => !named.has(name));
  return `# Settings

Set them by name in [environments.ts](environments.ts) for an [environment](../README.md#environments), where on and off are \`true\` and \`false\`, and lists are arrays.

For one command, add \`-c name=value\`: separate list items by commas; an empty value unsets a setting.

Generated from [settings.ts](settings.ts).

## Start with these six

\`\`\`ts
production: {
  auth: 'jwt',
  issuer: 'https://id.example.com/realms/company',
  audience: ['users'],
  concurrency: 1000,
  graphqlConcurrency: 800,
  alarmEmail: 'ops@example.com',
},
\`\`\`

${createTable(FIRST)}
## Optional

${topics.join('\n')}
## The rest

Limits, names of scopes (with \`auth=jwt\`) and claims, and special cases.

${createTable(rest)}`;
}

function createTable(names: Name[]): string {
  const defaults: Record<string, unknown> = settings.parse({});
  const rows = names.map((name) => {
    const { values, unset, description } = settings.shape[name].meta() ?? {};
    return `| \`${name}\` | ${values} | ${unset ?? formatDefault(defaults[name])} | ${description} |\n`;
  });
  return `| setting | values | default | meaning |\n|---|---|---|---|\n${rows.join('')}`;
}

function formatDefault(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return typeof value === 'object' || value === undefined ? '' : String(value);
}
