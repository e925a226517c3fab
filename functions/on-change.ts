import { consume } from '../lib/changes/consume.ts';

export const handler = consume;
