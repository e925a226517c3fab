import { blockKey } from '../../keys.ts';
import { TableName, type Write } from '../../table.ts';
import { type Block, TOP } from './blocks.ts';

/** Adds to what a block holds, and makes the block where it is new. */
export const addUsers = (level: number, behind: string, users: number): Write => ({
  Update: {
    TableName,
    Key: blockKey(level, behind),
    UpdateExpression: 'ADD held :users',
    ExpressionAttributeValues: { ':users': users },
  },
});

/** The same in the top level, where the newest block tells how far the index goes, and no other does. */
export const addUsersOnTop = (behind: string, users: number, reached?: string): Write => ({
  Update: {
    TableName,
    Key: blockKey(TOP, behind),
    UpdateExpression: `ADD held :users ${reached ? 'SET' : 'REMOVE'} reached${reached ? ' = :reached' : ''}`,
    ExpressionAttributeValues: { ':users': users, ...(reached ? { ':reached': reached } : {}) },
  },
});

/** Replaces a count that was read, if it is still that. */
export const setUsers = (level: number, { behind, users }: Block, correct: number): Write => ({
  Update: {
    TableName,
    Key: blockKey(level, behind),
    UpdateExpression: 'SET held = :correct',
    ConditionExpression: 'held = :read',
    ExpressionAttributeValues: { ':correct': correct, ':read': users },
  },
});

/** Lets a transaction through only if a count is still what was read. */
export const unchanged = (level: number, { behind, users }: Block): Write => ({
  ConditionCheck: {
    TableName,
    Key: blockKey(level, behind),
    ConditionExpression: 'held = :read',
    ExpressionAttributeValues: { ':read': users },
  },
});
