import type { SeenChange } from '../actors/subscriber.ts';
import type { Change } from '../database/store.ts';

const UUID_LENGTH = 36;

/**
 * What is wrong with what a subscriber got: every change of its topic since it began, once, those of one user or author in
 * order. It may get changes from before: what is new is told by clocks.
 */
export function checkSubscription(changes: Change[], start: number, seen: SeenChange[]): string[] {
  const got = Map.groupBy(seen, ({ id }) => id.slice(0, UUID_LENGTH));
  return [...Map.groupBy(changes, ({ pk }) => pk.slice('USER#'.length))].flatMap(([id, made]) => {
    const shown = got.get(id) ?? [];
    const least = made.filter(({ commit }) => commit > start).length;
    const expected = made.slice(Math.max(0, made.length - Math.max(shown.length, least)));
    const [is, was] = [shown.map(describeSeen).join(' '), expected.map(describeChange).join(' ')];
    return is === was ? [] : [`a subscriber got of ${id}: ${is || 'nothing'}; not: ${was}`];
  });
}

const describeChange = ({ before, after }: Change) =>
  `${before ? (after ? 'UPDATED' : 'DELETED') : 'CREATED'}(${after?.title?.S ?? after?.version?.N ?? ''})`;

const describeSeen = ({ kind, entity }: SeenChange) => `${kind}(${entity?.title ?? entity?.version ?? ''})`;
