import { DIRECTORY, emailKey, userKey } from '../dynamodb/keys.ts';
import { TableName, type Write } from '../dynamodb/table.ts';
import { canonicalEmail, type User } from './schema.ts';

/** A claim makes an address one user's: its key is the address, so the table itself keeps two users from it. */
export const claimEmail = (email: string, userId: string): Write => ({
  Put: {
    TableName,
    Item: { ...emailKey(canonicalEmail(email)), userId },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
});

export const releaseEmail = (email: string): Write => ({
  Delete: { TableName, Key: emailKey(canonicalEmail(email)) },
});

export const putNewUser = ({ id, ...fields }: User): Write => ({
  Put: {
    TableName,
    Item: { ...userKey(id), directory: DIRECTORY, ...fields },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
});

/** Done only while the user is as it was read: its version counts every write. */
const whileAsRead = (read: User) => ({
  TableName,
  Key: userKey(read.id),
  ConditionExpression: 'version = :read',
});

/** Sets only what this version of the service knows, so that what a later one keeps beside it stays. */
export const updateUserIfUnchanged = (read: User, { name, email, updatedAt, version }: User) => ({
  ...whileAsRead(read),
  UpdateExpression: 'SET #name = :name, email = :email, updatedAt = :updatedAt, version = :version',
  ExpressionAttributeNames: { '#name': 'name' },
  ExpressionAttributeValues: {
    ':name': name,
    ':email': email,
    ':updatedAt': updatedAt,
    ':version': version,
    ':read': read.version,
  },
});

export const deleteUserIfUnchanged = (read: User): Write => ({
  Delete: { ...whileAsRead(read), ExpressionAttributeValues: { ':read': read.version } },
});
