import { blockKey } from '../../dynamodb/keys.ts';
import { TableName } from '../../dynamodb/client.ts';
import type { TransactItem } from '../../dynamodb/transactions.ts';
import { type Block, TOP } from './blocks.ts';

/** What is added to a block, which is made where it is new. */
export type Added = { behind: string; users: number; parts: number };

export const addTo = (level: number, { behind, users, parts }: Added): TransactItem => ({
  Update: {
    TableName,
    Key: blockKey(level, behind),
    UpdateExpression: parts > 0 ? 'ADD held :users, parts :parts' : 'ADD held :users',
    ExpressionAttributeValues: { ':users': users, ...(parts > 0 ? { ':parts': parts } : {}) },
  },
});

/** The same in the top level, where the newest block tells how far the index goes, and no other does. */
export const addToTop = ({ behind, users, parts }: Added, reached?: string): TransactItem => ({
  Update: {
    TableName,
    Key: blockKey(TOP, behind),
    UpdateExpression: `ADD held :users, parts :parts ${reached ? 'SET reached = :reached' : 'REMOVE reached'}`,
    ExpressionAttributeValues: { ':users': users, ':parts': parts, ...(reached ? { ':reached': reached } : {}) },
  },
});

/** Replaces a count that was read, if it is still that. */
export const setUsers = (level: number, { behind, users }: Block, correct: number): TransactItem => ({
  Update: {
    TableName,
    Key: blockKey(level, behind),
    UpdateExpression: 'SET held = :correct',
    ConditionExpression: 'held = :read',
    ExpressionAttributeValues: { ':correct': correct, ':read': users },
  },
});

/** Lets a transaction through only if a count is still what was read. */
export const unchanged = (level: number, { behind, users }: Block): TransactItem => ({
  ConditionCheck: {
    TableName,
    Key: blockKey(level, behind),
    ConditionExpression: 'held = :read',
    ExpressionAttributeValues: { ':read': users },
  },
});
