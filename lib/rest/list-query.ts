import * as z from 'zod/mini';
import type { Selection } from '../users/list.ts';

/** A query parameter by which the lists select users. A request has one of them at most. */
export type ListQuery = {
  name: string;
  /** `read` if it names one user, else `list`. */
  right: 'read' | 'list';
  schema: z.ZodMiniType<string | undefined>;
  /** Gets what the schema returns. */
  select(value: string): Selection;
  /** Why `after` is no cursor of the selection, if the selection has a separate order: then `page` and `order` do not go with it. */
  findCursorIssue?(value: string, after: string): string | undefined;
};

export const ONLY_ONCE = 'must be given only once';

/** Parameters are text; the values of one that is repeated are an array. */
export const parameter = z.string(ONLY_ONCE);
