import packageJson from '../../package.json' with { type: 'json' };
import type { Service } from './service.ts';

/** What is printed once the service is ready. */
export const createBanner = (service: Omit<Service, 'stop'>, ms: number): string => `\
User Management Service ${packageJson.version}, ready in ${Math.round(ms)} ms
  Console  ${service.url}/
  REST     ${service.url}/v1/users and ${service.url}/api/users, reference at ${service.url}/docs
  GraphQL  ${service.url}/graphql
  Data     ${service.data}
  Access   ${describeAccess(service)}`;

function describeAccess({ requiresToken, issuer }: Omit<Service, 'stop'>): string {
  if (issuer) return `with tokens of npm run -s token -- --issuer ${issuer}`;
  return requiresToken ? 'with tokens of the issuer' : 'without tokens; npm run start:auth requires them';
}
