import { consume } from '../lib/change-log/consume.ts';

export const handler = consume;
