import { readOptions } from '../../infra/local/options.ts';
import { type Service, startService } from '../../infra/local/service.ts';

export type { Service };

/** Functions read environment variables and own fields when loaded, so the test file must be an isolated one (`.isolated.test.ts`). */
export const startServiceHere = (): Promise<Service> => startService(readOptions(['--port', '0', '--memory'], {}));
