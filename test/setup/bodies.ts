import * as z from 'zod';

/** Strict: a member more than the contract names is a failure. */
const record = z.strictObject({ id: z.uuidv7(), name: z.string(), email: z.string() });
export type UserRecord = z.infer<typeof record>;

const issue = z.strictObject({ path: z.array(z.union([z.string(), z.number()])), message: z.string().min(1) });

/** The body of an error, which is the same in both shapes. */
export const failureBody = z.strictObject({ error: z.string().min(1), issues: z.array(issue).min(1).optional() });

export type Bodies = { path: string; user: z.ZodType<UserRecord>; users: z.ZodType<UserRecord[]> };

/** How the bodies of each shape of REST are read. */
export const envelopedBodies: Bodies = {
  path: '/api/users',
  user: z.strictObject({ data: record }).transform(({ data }) => data),
  users: z
    .strictObject({ data: z.array(record), meta: z.strictObject({ total: z.int() }) })
    .refine(({ data, meta }) => meta.total === data.length, 'meta.total is the length of the list')
    .transform(({ data }) => data),
};

export const bareBodies: Bodies = { path: '/v1/users', user: record, users: z.array(record) };
