import type { Offer } from './settings.ts';
import { createStore } from './store.ts';

export const offer = createStore<Offer>({ sortByName: true, changes: 'live' });
