import { type Settings, settings } from './settings.ts';

type Name = keyof Settings;

/** Most deployments with tokens need no others. */
const FIRST: Name[] = ['auth', 'issuer', 'audience', 'graphqlConcurrency', 'alarmEmail'];

const OPTIONAL: Record<string, Name[]> = {
  'The stack': ['stackName', 'account', 'region', 'canary', 'deletionProtection', 'customerManagedKey'],
  'Users and their changes': [
    'fields',
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
  'Own records': ['selfSignUp', 'appUrls', 'selfDelete'],
  'Addresses and console': ['domainName', 'certificateArn', 'corsOrigins', 'console', 'consoleClientId'],
  Operation: ['dashboard', 'runbookUrl', 'logRetentionDays', 'tracing', 'serverTiming'],
};

const named = new Set([...FIRST, ...Object.values(OPTIONAL).flat()]);

/** The text of settings.md. Settings without a topic are listed last. */
export function createSettingsPage(): string {
  const topics = Object.entries(OPTIONAL).map(([topic, names]) => `### ${topic}\n\n${createTable(names)}`);
  const rest = (Object.keys(settings.shape) as Name[]).filter((name) => !named.has(name));
  return `# Settings

An [environment](README.md#environments) has them by name, in [environments.ts](environments.ts). \`-c name=value\` replaces one for a command: there,
items of a list are separated by commas, \`on\` and \`off\` are \`true\` and \`false\`, and an empty value stands for none.

This page is written from [settings.ts](settings.ts).

## Start with these five

\`\`\`ts
production: {
  auth: 'jwt',
  issuer: 'https://id.example.com/realms/company',
  audience: ['users'],
  graphqlConcurrency: 800,
  alarmEmail: 'ops@example.com',
},
\`\`\`

${createTable(FIRST)}
## Optional

${topics.join('\n')}
## The rest

Limits, names of scopes and claims, and settings for special cases.

${createTable(rest)}`;
}

function createTable(names: Name[]): string {
  const defaults: Record<string, unknown> = settings.parse({});
  const rows = names.map((name) => {
    const { description, effect } = settings.shape[name].meta() ?? {};
    return `| \`${name}\` | ${formatDefault(defaults[name])} | ${[description, effect].filter(Boolean).join('. ')} |\n`;
  });
  return `| setting | default | meaning |\n|---|---|---|\n${rows.join('')}`;
}

function formatDefault(value: unknown): string {
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value ?? '');
}
