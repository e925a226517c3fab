import * as z from 'zod';

export type UserRecord = { id: string; name: string; email: string };

const issue = z.strictObject({ path: z.array(z.union([z.string(), z.number()])), message: z.string().min(1) });

export const errorBody = z.strictObject({ error: z.string().min(1), issues: z.array(issue).min(1).optional() });

export type Bodies = { path: string; user: z.ZodType<UserRecord>; users: z.ZodType<UserRecord[]> };

/** Creates parsers of bodies that reject members outside the contract, and drop the deployment's own fields. */
export function createBodies(ownFields: readonly string[] = []): Record<'enveloped' | 'bare', Bodies> {
  const own = Object.fromEntries(ownFields.map((name) => [name, z.unknown().optional()]));
  const record = z
    .strictObject({ id: z.uuidv7(), name: z.string(), email: z.string(), ...own })
    .transform(({ id, name, email }): UserRecord => ({ id, name, email }));
  const enveloped = {
    path: '/api/users',
    user: z.strictObject({ data: record }).transform(({ data }) => data),
    users: z
      .strictObject({ data: z.array(record), meta: z.strictObject({ total: z.int() }) })
      .refine(({ data, meta }) => meta.total === data.length, 'meta.total must be the length of the list')
      .transform(({ data }) => data),
  };
  return { enveloped, bare: { path: '/v1/users', user: record, users: z.array(record) } };
}
