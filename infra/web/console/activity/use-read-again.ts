import { useDebouncedValue, useDidUpdate } from '@mantine/hooks';
import { useStore } from '../store.ts';
import { feed, type ListedChange } from './feed.ts';

/** Many changes can arrive at once, so a list is read again after this time without changes. */
const SETTLED_MS = 1_000;

export function useReadAgain(readAgain: () => void, isRelevant: (change: ListedChange) => boolean = () => true): void {
  const [settled] = useDebouncedValue(useStore(feed).changes.find(isRelevant)?.cursor, SETTLED_MS);
  useDidUpdate(readAgain, [settled]);
}
