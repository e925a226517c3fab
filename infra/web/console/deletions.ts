import { isChanged, isNotFound } from '../../../lib/client/client.ts';
import { dismissAbout, notify } from './notices.tsx';
import { createStore } from './store.ts';

type Deletion = {
  id: string;
  /** Notices call the user or post so. */
  name: string;
  /** A post has an author. */
  authorId?: string;
  send: () => Promise<void>;
  /** Brings the page up to date once nothing is left to delete. */
  onDeleted: () => Promise<void>;
  onFailed?: () => void;
  onUndone?: () => void;
};

type Pending = Deletion & { isSent: boolean; dismissNotice: () => void };

/** The page shows nothing of these users and posts, by their ids. A failed deletion shows them again, and so does an undo. */
export const pendingDeletions = createStore<ReadonlyMap<string, Pending>>(new Map());

const setPending = (pending: Pending): void => pendingDeletions.set((all) => new Map(all).set(pending.id, pending));

/** Forgets a deletion; one that was not sent yet is never sent. */
export function dropDeletion(id: string): void {
  pendingDeletions.set((all) => new Map([...all].filter(([key]) => key !== id)));
}

/** Hides what is to be deleted at once. As the API cannot undo, the deletion is sent when its notice goes, or the page is left. */
export function deleteLater(deletion: Deletion): void {
  const { id, name, authorId } = deletion;
  const dismissNotice = notify({
    message: `Deleted ${name}`,
    name,
    tone: 'done',
    subject: id,
    ...(authorId ? { authorId } : {}),
    undo: async () => undoDeletion(id),
    onGone: () => send(id),
  });
  setPending({ ...deletion, isSent: false, dismissNotice });
}

export function undoDeletion(id: string): void {
  const pending = pendingDeletions.get().get(id);
  if (!pending || pending.isSent) throw new Error('it was deleted already');
  dropDeletion(id);
  pending.dismissNotice();
  pending.onUndone?.();
}

async function send(id: string): Promise<void> {
  const pending = pendingDeletions.get().get(id);
  if (!pending || pending.isSent) return;
  setPending({ ...pending, isSent: true });
  dismissAbout(id);
  const { name, onDeleted, onFailed } = pending;
  try {
    // Others may have deleted it meanwhile.
    await pending.send().catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
    await onDeleted();
  } catch (error) {
    onFailed?.();
    notify({ message: `${name} was not deleted: ${explain(error)}`, name, tone: 'error', subject: id });
  }
  dropDeletion(id);
}

const explain = (error: unknown): string =>
  isChanged(error) ? `changed elsewhere to version ${error.version} meanwhile` : (error as Error).message;

/** Sends what could still be undone, such as when the page is left. */
export const sendDeletions = (): Promise<unknown> => Promise.all([...pendingDeletions.get().keys()].map(send));
