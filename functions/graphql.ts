import { handle } from '../lib/graphql/handler.ts';

export const handler = handle;
