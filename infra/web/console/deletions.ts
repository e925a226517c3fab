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

type Pending = Deletion & { timer: ReturnType<typeof setTimeout> | undefined };

/** A person can undo a deletion for so long, because the API cannot. */
const UNDO_MS = 10_000;

/** The page shows nothing of these users and posts, by their ids. A failed deletion shows them again, and so does an undo. */
export const pendingDeletions = createStore<ReadonlyMap<string, Pending>>(new Map());

const setPending = (pending: Pending): void => pendingDeletions.set((all) => new Map(all).set(pending.id, pending));

/** Forgets a deletion; one that was not sent yet is never sent. */
export function dropDeletion(id: string): void {
  clearTimeout(pendingDeletions.get().get(id)?.timer);
  pendingDeletions.set((all) => new Map([...all].filter(([key]) => key !== id)));
}

/** Hides what is to be deleted at once, and sends the deletion when the time to undo it is over, or the page is left. */
export function deleteLater(deletion: Deletion): void {
  const { id, name, authorId } = deletion;
  const start = () => setPending({ ...deletion, timer: setTimeout(() => send(id), UNDO_MS) });
  start();
  notify({
    message: `Deleted ${name}`,
    name,
    tone: 'done',
    subject: id,
    ...(authorId ? { authorId } : {}),
    timeLimit: {
      seconds: UNDO_MS / 1000,
      stop: () => clearTimeout(pendingDeletions.get().get(id)?.timer),
      // The time begins again, unless the deletion was sent meanwhile.
      restart: () => isUnsent(id) && start(),
    },
    undo: async () => undoDeletion(id),
  });
}

const isUnsent = (id: string): boolean => pendingDeletions.get().get(id)?.timer !== undefined;

export function undoDeletion(id: string): void {
  const pending = pendingDeletions.get().get(id);
  if (!pending || !isUnsent(id)) throw new Error('it was deleted already');
  dropDeletion(id);
  pending.onUndone?.();
}

async function send(id: string): Promise<void> {
  const pending = pendingDeletions.get().get(id);
  if (!pending?.timer) return;
  clearTimeout(pending.timer);
  setPending({ ...pending, timer: undefined });
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
