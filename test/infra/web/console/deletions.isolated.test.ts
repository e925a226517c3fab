import './browser-globals.ts';
import { beforeEach, expect, test, vi } from 'vitest';
import { ClientError } from '../../../../lib/client/client.ts';

type Notice = Parameters<typeof import('../../../../infra/web/console/notices.tsx').notify>[0];
const notices: Notice[] = [];
vi.mock('../../../../infra/web/console/notices.tsx', () => ({
  notify: (notice: Notice) => void notices.push(notice),
  dismissAbout: () => {},
}));
const { deleteLater, dropDeletion, pendingDeletions, sendDeletions } = await import(
  '../../../../infra/web/console/deletions.ts'
);

const send = vi.fn(async (_isLeaving: boolean) => {});
const [onDeleted, onFailed, onUndone] = [vi.fn(async () => {}), vi.fn(), vi.fn()];

beforeEach(() => {
  vi.resetAllMocks();
  notices.length = 0;
  pendingDeletions.set(() => new Map());
});

const start = () => deleteLater({ ids: ['1', '2'], name: 'Ada', send, onDeleted, onFailed, onUndone });
const listPending = () => [...pendingDeletions.get().keys()];
const undo = () => notices[0]?.undo?.();
const listErrors = () => notices.flatMap(({ tone, message }) => (tone === 'error' ? [message] : []));

test('a deletion is pending until its notice goes, and is then sent once', async () => {
  start();
  expect(listPending()).toEqual(['1', '2']);
  expect(send).not.toHaveBeenCalled();
  notices[0]?.onGone?.();
  notices[0]?.onGone?.();
  expect(listPending()).toEqual(['1', '2']);
  await expect.poll(listPending).toEqual([]);
  expect(send.mock.calls).toEqual([[false]]);
  expect(onDeleted).toHaveBeenCalledTimes(1);
  expect(onFailed).not.toHaveBeenCalled();
  expect(listErrors()).toEqual([]);
});

test('a user whom others have deleted meanwhile is deleted', async () => {
  send.mockRejectedValue(new ClientError(404, 'User not found', { code: 'NOT_FOUND' }));
  start();
  await sendDeletions();
  expect(listErrors()).toEqual([]);
  expect(onDeleted).toHaveBeenCalledTimes(1);
  expect(onFailed).not.toHaveBeenCalled();
});

test.each([
  ['a rejection', new ClientError(403, 'Forbidden', { code: 'FORBIDDEN' }), 'Ada was not deleted: Forbidden'],
  [
    'a change of others',
    new ClientError(412, 'Changed', { code: 'PRECONDITION_FAILED', version: 7 }),
    'Ada was not deleted: changed elsewhere to version 7 meanwhile',
  ],
])('%s fails a deletion and shows the user again', async (_, error, message) => {
  send.mockRejectedValue(error);
  start();
  await sendDeletions();
  expect(listErrors()).toEqual([message]);
  expect(listPending()).toEqual([]);
  expect(onFailed).toHaveBeenCalledTimes(1);
  expect(onDeleted).not.toHaveBeenCalled();
});

test('an undo shows the user again, and nothing is sent', async () => {
  start();
  await undo();
  expect(listPending()).toEqual([]);
  expect(onUndone).toHaveBeenCalledTimes(1);
  await sendDeletions();
  notices[0]?.onGone?.();
  expect(send).not.toHaveBeenCalled();
});

test('an undo after the deletion was sent says so', async () => {
  const answer = Promise.withResolvers<void>();
  send.mockReturnValue(answer.promise);
  start();
  const sent = sendDeletions();
  await expect(undo()).rejects.toThrow('it was deleted already');
  expect(onUndone).not.toHaveBeenCalled();
  answer.resolve();
  await sent;
});

test('leaving the page sends each pending deletion once, as a request that outlives the page', async () => {
  start();
  await sendDeletions();
  expect(send.mock.calls).toEqual([[true]]);
});

test('a deletion is never sent once all of its ids are dropped', async () => {
  start();
  dropDeletion('1');
  expect(listPending()).toEqual(['2']);
  dropDeletion('2');
  await sendDeletions();
  expect(send).not.toHaveBeenCalled();
});
