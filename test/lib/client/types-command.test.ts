import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { main } from '../../../lib/client/types-command.ts';
import { type LocalService, startLocalService } from '../../setup/local-service.ts';

let service: LocalService;
beforeAll(async () => {
  service = await startLocalService(['--memory', '--fields', 'test/setup/own-fields.json']);
});
afterAll(() => service.stop());

test('the types of the own fields are those that the deployment declares', async () => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  await main([`${service.url}/graphql`]);
  expect(write.mock.calls.join('')).toBe(`/** The own fields of users. */
export type Fields = {
  /** Shown instead of the name. */
  nickname?: string;
  memberNumber?: string;
  plan?: string;
  age?: number;
  seat?: number;
  score?: number;
  isStaff?: boolean;
  birthday?: string;
  lastSeenAt?: string;
  tags?: string[];
  /** @deprecated Use tags. */
  phone?: string;
};
`);
});

test('without a URL the command says how it is used', async () => {
  await expect(main([])).rejects.toThrow('user-management-types URL');
});
