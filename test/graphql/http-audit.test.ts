import { type AuditResult, serverAudits } from 'graphql-http';
import { afterAll, expect, test } from 'vitest';
import { startLocalService } from '../setup/local-service.ts';

const service = await startLocalService();
afterAll(() => service.stop());

const audits = serverAudits({ url: `${service.url}/graphql` });

/** https://graphql.github.io/graphql-over-http/draft/: what it leaves open (MAY) is audited with status "notice". */
const isDemanded = ({ name }: { name: string }) => /^(MUST|SHOULD)\b/.test(name);

test.for(audits.filter(isDemanded))('$name ($id)', async ({ fn }) => {
  const result: AuditResult = await fn();
  expect(result, 'reason' in result ? result.reason : '').toMatchObject({ status: 'ok' });
});

test('the audit has demands to meet', () => {
  expect(audits.filter(isDemanded).length).toBeGreaterThan(30);
});
