import type { table } from '../../../lib/dynamodb/client.ts';
import { ServiceError } from '../../../lib/errors.ts';

/** SQLite says so where a repetition does not help. */
const LASTING =
  /database or disk is full|readonly database|disk I\/O error|disk image is malformed|unable to open database file/;

/**
 * Shows callers why the embedded engine cannot write. The engine answers with a status of 500 that the SDK repeats, after which the
 * service would call itself busy.
 */
export function explainEngineErrors({ middlewareStack }: Pick<typeof table, 'middlewareStack'>): void {
  middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        const [reason] = LASTING.exec((error as Error).message) ?? [];
        throw reason ? new ServiceError('SERVICE_UNAVAILABLE', `The local database cannot write: ${reason}`) : error;
      }
    },
    // Each attempt of the SDK comes here.
    { step: 'deserialize', priority: 'high', name: 'explainEngineErrors' },
  );
}
