import { readOptions } from '../../infra/local/options.ts';
import { type Service, startService } from '../../infra/local/service.ts';

export type { Service };

/**
 * Starts the service in this process. Only for `.isolated.test.ts`: functions read environment variables and own fields
 * on import.
 */
export const startServiceHere = (): Promise<Service> => startService(readOptions(['--port', '0', '--memory'], {}));
