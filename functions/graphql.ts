import { answer } from '../lib/graphql/server.ts';

export const handler = answer;
