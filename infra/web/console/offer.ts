import type { Offer } from './settings.ts';
import { createStore } from './store.ts';

/** Features that the service offers. The settings of the console contain it. */
export const offer = createStore<Offer>({ sortByName: true, changes: 'live' });
