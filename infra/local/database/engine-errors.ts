import type { table } from '../../../lib/dynamodb/client.ts';
import { ServiceError } from '../../../lib/errors.ts';

/** A retry cannot solve these SQLite errors. */
const LASTING =
  /database or disk is full|readonly database|disk I\/O error|disk image is malformed|unable to open database file/;

/**
 * Replaces the embedded engine's status 500 by the reason why it cannot write. Otherwise the SDK would retry and the
 * service report that it is busy.
 */
export function explainEngineErrors({ middlewareStack }: Pick<typeof table, 'middlewareStack'>): void {
  middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        const [reason] = LASTING.exec((error as Error).message) ?? [];
        if (!reason) throw error;
        const message = `The local database cannot write: ${reason}`;
        throw new ServiceError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 60 });
      }
    },
    // In this step, middleware runs for each attempt of the SDK.
    { step: 'deserialize', priority: 'high', name: 'explainEngineErrors' },
  );
}

/** Adds what to do about a damaged file. */
export const explainDamage = (message: string): string =>
  /disk image is malformed/.test(message)
    ? `${message.trim()}. Restore the folder from a copy, or remove users.db to start with an empty table`
    : message;
