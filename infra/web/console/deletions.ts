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
  send: (isLeaving: boolean) => Promise<void>;
  /** Brings the page up to date once nothing is left to delete. */
  onDeleted?: () => Promise<void>;
  onFailed?: () => void;
  onUndone?: () => void;
};

/** One that was sent can neither be undone nor sent again. */
type PendingDeletion = { name: string; undo?: () => void; send?: (isLeaving?: boolean) => Promise<void> };

/** The page shows nothing of these users and posts, by their ids. A failed deletion shows them again, and so does an undo. */
export const pendingDeletions = createStore<ReadonlyMap<string, PendingDeletion>>(new Map());

/** Forgets a deletion; one that was not sent yet is never sent. */
export const dropDeletion = (id: string): void => dropDeletions([id]);

function dropDeletions(ids: readonly string[]): void {
  const dropped = new Set(ids);
  pendingDeletions.set((all) => new Map([...all].filter(([id]) => !dropped.has(id))));
}

/**
 * Hides what is to be deleted at once. As the API cannot undo, the deletion is sent when its notice goes, which has the time
 * to undo, or when the page is left.
 */
export function deleteLater(deletion: Deletion): void {
  const { ids, name, problem = `${name} was not deleted`, authorId, onDeleted, onFailed, onUndone } = deletion;
  const subject = ids.join(' ');
  const waiting: PendingDeletion = { name, undo, send };
  const setPending = (pending: PendingDeletion) =>
    pendingDeletions.set((all) => new Map([...all, ...ids.map((id) => [id, pending] as const)]));
  const isWaiting = () => ids.some((id) => pendingDeletions.get().get(id) === waiting);

  function undo(): void {
    if (!isWaiting()) throw new Error('it was deleted already');
    dropDeletions(ids);
    dismissAbout(subject);
    onUndone?.();
  }

  async function send(isLeaving = false): Promise<void> {
    if (!isWaiting()) return;
    setPending({ name });
    dismissAbout(subject);
    try {
      // Others may have deleted it meanwhile.
      await deletion.send(isLeaving).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
      await onDeleted?.();
    } catch (error) {
      onFailed?.();
      notify({ message: `${problem}: ${explain(error)}`, name, tone: 'error', subject });
    }
    dropDeletions(ids);
  }

  setPending(waiting);
  notify({
    message: `Deleted ${name}`,
    name,
    tone: 'done',
    subject,
    ...(authorId ? { authorId } : {}),
    undo: async () => undo(),
    onGone: () => send(),
  });
}

const explain = (error: unknown): string =>
  isChanged(error) ? `changed elsewhere to version ${error.version} meanwhile` : (error as Error).message;

/** Sends what could still be undone, such as when the page is left. */
export const sendDeletions = (): Promise<unknown> =>
  Promise.all(Array.from(new Set(pendingDeletions.get().values()), ({ send }) => send?.(true)));
