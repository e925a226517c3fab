import { logError } from '../log.ts';
import type { Item } from './keys.ts';

/**
 * Logs and skips items for which `parse` throws, so that an item damaged by hand does not make a whole list
 * unreadable.
 */
export const skipDamaged = <Parsed>(items: Item[], parse: (item: Item) => Parsed): Parsed[] =>
  items.flatMap((item) => {
    try {
      return [parse(item)];
    } catch (error) {
      logError(error);
      return [];
    }
  });
