import './browser-globals.ts';
import { MutationObserver, onlineManager } from '@tanstack/react-query';
import { afterEach, expect, test } from 'vitest';
import { queryClient } from '../../../../infra/web/console/query-client.ts';

afterEach(() => onlineManager.setOnline(true));

test('requests are sent although the browser is offline', async () => {
  onlineManager.setOnline(false);
  expect(await queryClient.fetchQuery({ queryKey: ['read'], queryFn: async () => 'read' })).toBe('read');
  const saving = new MutationObserver(queryClient, { mutationFn: async () => 'saved' });
  expect(await saving.mutate()).toBe('saved');
});
