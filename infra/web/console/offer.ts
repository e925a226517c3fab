import type { Offer } from './settings.ts';
import { createStore } from './store.ts';

/** Features that the service offers, from the console's settings. */
export const offer = createStore<Offer>({ sortByName: true, changes: 'live' });
