import * as z from 'zod/mini';
import type { Right } from '../auth/caller.ts';
import type { Criterion } from '../users/criteria.ts';

/** A query parameter that selects or sorts the users of a list. */
export type ListQuery = {
  name: string;
  /** Parses the text of the parameter. */
  schema: z.ZodMiniType<Criterion | undefined>;
  /** `read` if the parameter names the users, `list` if the list finds them. */
  right: Extract<Right, 'read' | 'list'>;
};

export const ONLY_ONCE = 'must be given only once';

/** Parameters are text; the values of one that is repeated are an array. */
export const parameter = z.string(ONLY_ONCE);

const DATE = z.regexes.date;
const RFC_3339 = z.regexes.datetime({ offset: true });

/** A time, or a date, which is the beginning of its day in UTC. */
export const time = parameter.check(
  z.overwrite((text) => text.replace(' ', '+')), // A plus that the client did not encode arrives as a space.
  z.toUpperCase(),
  z.refine(
    (text) => DATE.test(text) || RFC_3339.test(text),
    'must be a date such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z',
  ),
);
