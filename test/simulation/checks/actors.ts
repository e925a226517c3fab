import { type Change, type Item, isRewrite } from '../database/store.ts';
import type { Operation } from '../workload/calls.ts';

/** Tells whether an entry of the change log names who made a change, and when if it is a deletion. */
export type NamesActor = (change: Change, logged: Item) => boolean;

const isEntity = (change: Change) =>
  change.pk.startsWith('USER#') && /^(USER$|POST#)/.test(change.sk) && !isRewrite(change);

/** The request log names callers in the same way. */
const formatActor = ({ call }: Operation) =>
  call.kind === 'import' ? 'system' : 'caller' in call && call.caller ? `sub:${call.caller}` : 'anonymous';

/** A change is of an operation, or of the service: of `on-change`, which deletes posts. */
const createFinder = (operations: Operation[]) => {
  const byId = new Map(operations.map((operation) => [operation.id, operation]));
  return ({ by }: Change) => byId.get(by.slice(0, by.lastIndexOf('/')));
};

/** Tells which users and posts were stored with another actor than the caller of their last write. */
export function checkActors(changes: Change[], operations: Operation[]): string[] {
  const find = createFinder(operations);
  return changes.filter(isEntity).flatMap((change) => {
    const { pk, sk, after } = change;
    const operation = find(change);
    if (!after || !operation || after.by?.S === formatActor(operation)) return [];
    return [`${operation.id} stored ${pk} ${sk} by ${after.by?.S}, not ${formatActor(operation)}`];
  });
}

/** Finds the user that a restore brings back. */
const findFormer = (changes: Change[], { pk, sk, position }: Change): Item | undefined =>
  changes.findLast((change) => change.position < position && change.pk === pk && change.sk === sk)?.before;

/** Finds what the same transaction deletes of a post that it moves. */
const findMoved = (changes: Change[], { sk, by }: Change): Item | undefined =>
  changes.find((change) => change.by === by && change.sk === sk && !change.after)?.before;

/**
 * Tells what is wrong with the times that an operation stored: each lies between request and commit, by the clock of the
 * environment that served it, and the time of creation never changes.
 */
export function checkTimes(changes: Change[], operations: Operation[]): string[] {
  const find = createFinder(operations);
  return changes.filter(isEntity).flatMap((change) => {
    const { pk, sk, at, before, after } = change;
    const operation = find(change);
    if (!operation || !after) return [];
    const [from, to] = [operation.times.sent + operation.skew, at + operation.skew];
    const isNow = (time: string | undefined) =>
      time !== undefined && Date.parse(time) >= Math.floor(from) && Date.parse(time) <= to;
    const [createdAt, updatedAt, publishedAt] = [after.createdAt?.S, after.updatedAt?.S, after.publishedAt?.S];
    const isMoved = operation.call.kind === 'updatePost';
    const former =
      before ??
      (isMoved ? findMoved(changes, change) : undefined) ??
      (operation.call.kind === 'restore' ? findFormer(changes, change) : { createdAt: { S: updatedAt } });
    const isPublished = operation.call.kind === 'publishPost' && operation.call.publishedAt === undefined;
    return [
      ...(isNow(updatedAt) ? [] : [`updatedAt ${updatedAt}`]),
      ...(createdAt === former?.createdAt?.S ? [] : [`createdAt ${createdAt}`]),
      ...(!isPublished || isNow(publishedAt) ? [] : [`publishedAt ${publishedAt}`]),
    ].map((problem) => `${operation.id} stored ${problem} in ${pk} ${sk}`);
  });
}

export function createNamesActor(operations: Operation[]): NamesActor {
  const find = createFinder(operations);
  return (change, { by, at }) => {
    const operation = find(change);
    if (by?.S !== (operation ? formatActor(operation) : 'system')) return false;
    if (change.after || !operation) return true;
    const time = Date.parse(at?.S ?? '');
    return time >= Math.floor(operation.times.sent + operation.skew) && time <= change.at + operation.skew;
  };
}
