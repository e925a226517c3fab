import { readOptions } from '../../infra/local/options.ts';
import { type Service, startService } from '../../infra/local/service.ts';

export type { Service };

/**
 * Starts the service in the process of the test, on the test's table. Functions read variables and own fields when they are
 * loaded, so the file needs separate modules.
 */
export const startServiceHere = (): Promise<Service> => startService(readOptions(['--port', '0', '--memory'], {}));
