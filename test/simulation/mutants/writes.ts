import type { Mutants } from './mutants.ts';

const WRITES = 'lib/dynamodb/conditional-writes.ts';
const TRANSACTIONS = 'lib/dynamodb/transactions.ts';

/** Writes that are safe to lose the answer of, conflicts, and repeated requests. */
export const writeMutants: Mutants = {
  'writeId is ignored': { file: WRITES, find: 'if (item?.writeId === writeId) return { item };', replace: '' },
  'a repeated write that failed is a failure': {
    file: WRITES,
    find: 'if (item?.writeId === writeId) return { item };\n      // An earlier request may have written, and another write replaced that: nobody can know.\n      if (outcomeUnknown) throw unavailable();',
    replace: '',
  },
  'a new token for each attempt': {
    file: 'lib/dynamodb/client.ts',
    find: 'addCapacityMiddleware(table);',
    replace: `addCapacityMiddleware(table);
table.middlewareStack.add((next) => (args: any) => {
  args.request.body = args.request.body.replace(/("ClientRequestToken":")[^"]*/, (_: string, name: string) => name + Math.random());
  return next(args);
}, { step: 'finalizeRequest', priority: 'low', name: 'mutant' });`,
  },
  'conflicts are not repeated': {
    file: TRANSACTIONS,
    find: 'if (readCodes(error).some((code) => CONFLICT.test(code) || THROTTLED.test(code))) return AGAIN;',
    replace: '',
  },
  'a new token after an answer was lost': {
    file: TRANSACTIONS,
    find: 'if (!attempt.outcomeUnknown) attempt = undefined;',
    replace: 'attempt = undefined;',
  },
  'create without the idempotency record': {
    file: 'lib/users/create.ts',
    find: 'idempotency: record?.item(user) }',
    replace: 'idempotency: undefined }',
  },
  'idempotency record is overwritten': {
    file: 'lib/idempotency.ts',
    find: "'attribute_not_exists(pk) OR expiresAt <= :now'",
    replace: "'attribute_not_exists(pk) OR expiresAt > :now'",
  },
  'another body under the same key': {
    file: 'lib/idempotency.ts',
    find: 'if (first.body !== body) throw',
    replace: 'if (false) throw',
  },
  'no deadline': {
    file: 'lib/dynamodb/deadline.ts',
    find: 'const timer = setTimeout(() => controller.abort(), ms);',
    replace: 'const timer = undefined; ms = 60_000;',
  },
  'an idempotency key forgets its operation': {
    file: 'lib/idempotency.ts',
    find: 'hash(caller, operation, key)',
    replace: 'hash(caller, key)',
  },
  'an idempotency key forgets its caller': {
    file: 'lib/idempotency.ts',
    find: 'hash(caller, operation, key)',
    replace: 'hash(operation, key)',
  },
  'an idempotency key lasts an hour': {
    file: 'lib/idempotency.ts',
    find: 'RETENTION_SECONDS = 24 * 3600;',
    replace: 'RETENTION_SECONDS = 3600;',
  },
  'an idempotency key lasts until the database deletes it': {
    file: 'lib/idempotency.ts',
    find: "'attribute_not_exists(pk) OR expiresAt <= :now'",
    replace: "'attribute_not_exists(pk) OR expiresAt < :now AND attribute_not_exists(expiresAt)'",
  },
  'a repetition shows its own time': {
    file: 'lib/users/create.ts',
    find: 'newUser(input, record.replay(failures.idempotency))',
    replace: 'newUser(input, { ...record.replay(failures.idempotency), createdAt: new Date().toISOString() })',
  },
};
