import { isChanged, isNotFound } from '../../../lib/client/client.ts';
import { dismissAbout, notify } from './notices.tsx';
import { createStore } from './store.ts';

type Deletion = {
  /** Of users, or of a post. */
  ids: readonly string[];
  /** Notices call them so. */
  name: string;
  /** What is told if not all are deleted. */
  problem?: string;
  /** A post has an author. */
  authorId?: string;
  send: () => Promise<void>;
  /** Brings the page up to date once nothing is left to delete. */
  onDeleted: () => Promise<void>;
  onFailed?: () => void;
  onUndone?: () => void;
};

type Pending = Deletion & { isSent: boolean };

/** The page shows nothing of these users and posts, by their ids. A failed deletion shows them again, and so does an undo. */
export const pendingDeletions = createStore<ReadonlyMap<string, Pending>>(new Map());

const setPending = (pending: Pending): void =>
  pendingDeletions.set((all) => new Map([...all, ...pending.ids.map((id) => [id, pending] as const)]));

/** Users who are deleted together have one deletion. */
const findPending = (ids: readonly string[]): Pending | undefined =>
  [...pendingDeletions.get().values()].find((pending) => pending.ids === ids);

const toSubject = (ids: readonly string[]): string => ids.join(' ');

/** Forgets a deletion; one that was not sent yet is never sent. */
export function dropDeletion(id: string): void {
  pendingDeletions.set((all) => new Map([...all].filter(([key]) => key !== id)));
}

/**
 * Hides what is to be deleted at once. As the API cannot undo, the deletion is sent when its notice goes, which has the time
 * to undo, or when the page is left.
 */
export function deleteLater(deletion: Deletion): void {
  const { ids, name, authorId } = deletion;
  setPending({ ...deletion, isSent: false });
  notify({
    message: `Deleted ${name}`,
    name,
    tone: 'done',
    subject: toSubject(ids),
    ...(authorId ? { authorId } : {}),
    undo: async () => undo(ids),
    onGone: () => send(ids),
  });
}

export const undoDeletion = (id: string): void => undo(pendingDeletions.get().get(id)?.ids ?? [id]);

function undo(ids: readonly string[]): void {
  const pending = findPending(ids);
  if (!pending || pending.isSent) throw new Error('it was deleted already');
  ids.forEach(dropDeletion);
  dismissAbout(toSubject(ids));
  pending.onUndone?.();
}

async function send(ids: readonly string[]): Promise<void> {
  const pending = findPending(ids);
  if (!pending || pending.isSent) return;
  setPending({ ...pending, isSent: true });
  dismissAbout(toSubject(ids));
  const { name, problem = `${name} was not deleted`, onDeleted, onFailed } = pending;
  try {
    // Others may have deleted it meanwhile.
    await pending.send().catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
    await onDeleted();
  } catch (error) {
    onFailed?.();
    notify({ message: `${problem}: ${explain(error)}`, name, tone: 'error', subject: toSubject(ids) });
  }
  ids.forEach(dropDeletion);
}

const explain = (error: unknown): string =>
  isChanged(error) ? `changed elsewhere to version ${error.version} meanwhile` : (error as Error).message;

/** Sends what could still be undone, such as when the page is left. */
export const sendDeletions = (): Promise<unknown> =>
  Promise.all(Array.from(new Set([...pendingDeletions.get().values()].map(({ ids }) => ids)), send));
