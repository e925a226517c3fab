import { TableName } from '../dynamodb/client.ts';
import { DIRECTORY, emailKey, userKey } from '../dynamodb/keys.ts';
import type { TransactItem } from '../dynamodb/transactions.ts';
import { canonicalEmail } from './email.ts';
import type { User } from './schema.ts';

/** The email claim's key is the address, so that the table itself keeps two users from sharing it. */
export const claimEmail = (email: string, userId: string): TransactItem => ({
  Put: {
    TableName,
    Item: { ...emailKey(canonicalEmail(email)), userId },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
});

export const releaseEmail = (email: string): TransactItem => ({
  Delete: { TableName, Key: emailKey(canonicalEmail(email)) },
});

export const putNewUser = ({ id, ...fields }: User): TransactItem => ({
  Put: {
    TableName,
    Item: { ...userKey(id), directory: DIRECTORY, ...fields },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
});

/** Every write raises the version, so an equal version means an unchanged user. */
const ifUnchanged = ({ id }: User) => ({
  TableName,
  Key: userKey(id),
  ConditionExpression: 'version = :read',
});

/** Sets only the attributes that this version of the service knows, so that those of a later one stay. */
export const updateUserIfUnchanged = (user: User, { name, email, updatedAt, version }: User) => ({
  ...ifUnchanged(user),
  UpdateExpression: 'SET #name = :name, email = :email, updatedAt = :updatedAt, version = :version' as const,
  ExpressionAttributeNames: { '#name': 'name' },
  ExpressionAttributeValues: {
    ':name': name,
    ':email': email,
    ':updatedAt': updatedAt,
    ':version': version,
    ':read': user.version,
  },
});

export const deleteUserIfUnchanged = (user: User): TransactItem => ({
  Delete: { ...ifUnchanged(user), ExpressionAttributeValues: { ':read': user.version } },
});
