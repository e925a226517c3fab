import packageJson from '../../package.json' with { type: 'json' };
import type { Service } from './service.ts';

/** What is printed once the service is ready. */
export const createBanner = ({ url, data, issuer }: Omit<Service, 'stop'>, ms: number): string => `\
User Management Service ${packageJson.version}, ready in ${Math.round(ms)} ms
  Console  ${url}/
  REST     ${url}/v1/users and ${url}/api/users, reference at ${url}/docs
  GraphQL  ${url}/graphql
  Data     ${data}${issuer ? `\n  Tokens   npm run -s token -- --issuer ${issuer}` : ''}`;
