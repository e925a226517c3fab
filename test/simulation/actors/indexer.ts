import { invoke } from '../environment/invocation.ts';
import type { Handlers } from '../handlers.ts';
import type { World } from '../world.ts';

const FUNCTION_TIMEOUT_MS = 900_000;

/** One run of `index-pages`, which may die. Gives what is wrong with it: no count may ever need a repair. */
export async function runIndexer(world: World, handlers: Handlers, id: string): Promise<string[]> {
  if (world.without.has(id)) return [];
  const { ending } = await invoke(world, id, FUNCTION_TIMEOUT_MS, () => handlers['index-pages'](FUNCTION_TIMEOUT_MS));
  world.trace(`${id} ${'error' in ending ? String(ending.error) : JSON.stringify(ending)}`);
  if ('error' in ending) return [`${id} failed: ${ending.error}`];
  const repairs = 'result' in ending ? (ending.result?.repairs ?? []) : [];
  return repairs.map((repair) => `${id} had to repair ${JSON.stringify(repair)}`);
}
