import { type Change, type Item, isByHand, isRewrite } from '../database/store.ts';
import type { Operation } from '../workload/calls.ts';
import { isRemoval } from './groups.ts';

/** True if an entry has the right caller and, for a deletion, a time within the operation. */
export type NamesActor = (change: Change, logged: Item) => boolean;

const isEntity = (change: Change) =>
  change.pk.startsWith('USER#') && /^(USER$|POST#)/.test(change.sk) && !isRewrite(change);

/** Undefined for a user deleted by hand, because DynamoDB does not name the person who did it. */
function formatActor({ call }: Operation, { sk }: Change): string | undefined {
  if (call.kind === 'import') return 'system';
  // A post without a deletion record counts as deleted by the service.
  if (call.kind === 'deleteByHand') return sk === 'USER' ? undefined : 'system';
  return 'caller' in call && call.caller ? `sub:${call.caller}` : 'anonymous';
}

/** Finds the operation of a change. Undefined for deletions of posts by `on-change`. */
const createFinder = (operations: Operation[]) => {
  const byId = new Map(operations.map((operation) => [operation.id, operation]));
  return ({ by }: Change) => byId.get(by.slice(0, by.lastIndexOf('/')));
};

/** Each user's and post's `by` must be the writer. */
export function checkActors(changes: Change[], operations: Operation[]): string[] {
  const find = createFinder(operations);
  return changes.filter(isEntity).flatMap((change) => {
    const { pk, sk, after } = change;
    const operation = find(change);
    if (!after || !operation || after.by?.S === formatActor(operation, change)) return [];
    return [`${operation.id} stored ${pk} ${sk} by ${after.by?.S}, not ${formatActor(operation, change)}`];
  });
}

/** Finds the deleted user's last item before a restore. */
const findFormer = (changes: Change[], { pk, sk, position }: Change): Item | undefined =>
  changes.findLast((change) => change.position < position && change.pk === pk && change.sk === sk)?.before;

/** Finds the former item of a moved post, which the move deletes in the same transaction. */
const findMoved = (changes: Change[], { sk, by }: Change): Item | undefined =>
  changes.find((change) => change.by === by && change.sk === sk && !change.after)?.before;

/** Checks that written times are between request and commit, by the environment's clock. */
export function checkTimes(changes: Change[], operations: Operation[]): string[] {
  const find = createFinder(operations);
  return changes.filter(isEntity).flatMap((change) => {
    const { pk, sk, at, before, after } = change;
    const operation = find(change);
    if (!operation || !after) return [];
    const [from, to] = [operation.times.sent + operation.skew, at + operation.skew];
    const isNow = (time: string | undefined) =>
      time !== undefined && Date.parse(time) >= Math.floor(from) && Date.parse(time) <= to;
    // The model of linearizability requires these times where the import must keep them.
    const kept = operation.call.kind === 'import' ? Object.values(operation.call.kept) : [];
    const [createdAt, updatedAt, publishedAt] = [after.createdAt?.S, after.updatedAt?.S, after.publishedAt?.S];
    const isMoved = operation.call.kind === 'updatePost';
    const former =
      before ??
      (isMoved ? findMoved(changes, change) : undefined) ??
      (/^(restore|undoMerge)$/.test(operation.call.kind)
        ? findFormer(changes, change)
        : { createdAt: { S: updatedAt } });
    const isCreatedAt = (time = '') =>
      operation.call.kind === 'import' ? isNow(time) || kept.includes(time) : time === former?.createdAt?.S;
    const isPublished = operation.call.kind === 'publishPost' && operation.call.publishedAt === undefined;
    return [
      ...(isNow(updatedAt) || kept.includes(updatedAt ?? '') ? [] : [`updatedAt ${updatedAt}`]),
      ...(isCreatedAt(createdAt) ? [] : [`createdAt ${createdAt}`]),
      ...(!isPublished || isNow(publishedAt) ? [] : [`publishedAt ${publishedAt}`]),
    ].map((problem) => `${operation.id} stored ${problem} in ${pk} ${sk}`);
  });
}

/** Tolerance for the clock of `on-change`. */
const TOLERANCE_MS = 1_000;

/** `consumed`: when `on-change` has seen each change, by position. */
export function createNamesActor(operations: Operation[], consumed: Map<number, number>): NamesActor {
  const find = createFinder(operations);
  return (change, { by, at }) => {
    const operation = find(change);
    // `checkGroupDeletions` checks the author of a removal.
    const service = isRemoval(change) ? change.after?.by?.S : 'system';
    if ((by?.S || undefined) !== (operation ? formatActor(operation, change) : service)) return false;
    if (change.after || !operation) return true;
    const time = Date.parse(at?.S ?? '');
    // `on-change` logs the time at which it sees a deletion by hand.
    const seenAt = consumed.get(change.position) ?? Number.POSITIVE_INFINITY;
    if (isByHand(change)) return time >= change.at - TOLERANCE_MS && time <= seenAt + TOLERANCE_MS;
    return time >= Math.floor(operation.times.sent + operation.skew) && time <= change.at + operation.skew;
  };
}
