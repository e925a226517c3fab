import { isChanged, isNotFound } from '../../../lib/client/client.ts';
import { dismissAbout, notify } from './notices.tsx';
import { createStore } from './store.ts';

type Deletion = {
  ids: readonly string[];
  name: string;
  problem?: string;
  authorId?: string;
  send: (isLeaving: boolean) => Promise<void>;
  /** Whether `send` succeeds while the page is left. Otherwise, the browser asks the person to stay. */
  canLeave?: () => boolean;
  onDeleted?: () => Promise<void>;
  onFailed?: () => void;
  onUndone?: () => void;
};

/** `undo` and `send` are undefined once the deletion was sent. */
type PendingDeletion = {
  name: string;
  undo?: () => void;
  send?: (isLeaving?: boolean) => Promise<void>;
  canLeave: () => boolean;
};

/** Hidden users and posts, by id. */
export const pendingDeletions = createStore<ReadonlyMap<string, PendingDeletion>>(new Map());

/** Cancels the request if it was not sent yet. */
export const dropDeletion = (id: string): void => dropDeletions([id]);

function dropDeletions(ids: readonly string[]): void {
  const dropped = new Set(ids);
  pendingDeletions.set((all) => new Map([...all].filter(([id]) => !dropped.has(id))));
}

/** Sends the deletion when its notice closes or the page is left: the API cannot undo deletions. */
export function deleteLater(deletion: Deletion): void {
  const { ids, name, problem = `${name} was not deleted`, authorId, onDeleted, onFailed, onUndone } = deletion;
  const { canLeave = () => true } = deletion;
  const subject = ids.join(' ');
  const waiting: PendingDeletion = { name, undo, send, canLeave };
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
    setPending({ name, canLeave });
    dismissAbout(subject);
    try {
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

export const sendDeletions = (): Promise<unknown> =>
  Promise.all(Array.from(new Set(pendingDeletions.get().values()), ({ send }) => send?.(true)));

/** Whether leaving the page would stop a deletion halfway. */
export const isDeletingMany = (): boolean => [...pendingDeletions.get().values()].some(({ canLeave }) => !canLeave());
