import { type AuditResult, serverAudits } from 'graphql-http';
import { afterAll, expect, test } from 'vitest';
import { startLocalService } from '../setup/local-service.ts';

const service = await startLocalService();
afterAll(() => service.stop());

const audits = serverAudits({ url: `${service.url}/graphql` });

/** https://graphql.github.io/graphql-over-http/draft/; audits of what is optional (MAY) are left out. */
const isRequired = ({ name }: { name: string }) => /^(MUST|SHOULD)\b/.test(name);

test.for(audits.filter(isRequired))('$name ($id)', async ({ fn }) => {
  const result: AuditResult = await fn();
  expect(result, 'reason' in result ? result.reason : '').toMatchObject({ status: 'ok' });
});

test('there are more than 30 required audits', () => {
  expect(audits.filter(isRequired).length).toBeGreaterThan(30);
});
