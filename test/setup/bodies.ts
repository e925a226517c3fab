import * as z from 'zod';

/** It is strict, as the contract allows no other members. */
const record = z.strictObject({ id: z.uuidv7(), name: z.string(), email: z.string() });
export type UserRecord = z.infer<typeof record>;

const issue = z.strictObject({ path: z.array(z.union([z.string(), z.number()])), message: z.string().min(1) });

/** An error has this body in both response formats. */
export const errorBody = z.strictObject({ error: z.string().min(1), issues: z.array(issue).min(1).optional() });

export type Bodies = { path: string; user: z.ZodType<UserRecord>; users: z.ZodType<UserRecord[]> };

/** They parse the bodies of each response format. */
export const envelopedBodies: Bodies = {
  path: '/api/users',
  user: z.strictObject({ data: record }).transform(({ data }) => data),
  users: z
    .strictObject({ data: z.array(record), meta: z.strictObject({ total: z.int() }) })
    .refine(({ data, meta }) => meta.total === data.length, 'meta.total must be the length of the list')
    .transform(({ data }) => data),
};

export const bareBodies: Bodies = { path: '/v1/users', user: record, users: z.array(record) };
