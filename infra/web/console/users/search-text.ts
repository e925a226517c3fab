import { isLongEnough, normalizeText } from '../../../../lib/users/search/text.ts';

/** As the API decides it: accents do not count. */
export const isSearch = (q: string): boolean => isLongEnough(normalizeText(q));

export const isTooShort = (q: string): boolean => q !== '' && !isSearch(q);
