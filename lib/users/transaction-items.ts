import { TableName } from '../dynamodb/client.ts';
import { DIRECTORY, userKey } from '../dynamodb/keys.ts';
import type { TransactItem } from '../dynamodb/transactions.ts';
import type { NewVersion, User } from './schema.ts';

export const putNewUser = ({ id, own: _, ...attributes }: NewVersion): TransactItem => ({
  Put: {
    TableName,
    Item: { ...userKey(id), directory: DIRECTORY, ...attributes },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
});

/** Every write raises the version, so an equal version means an unchanged user. */
const ifUnchanged = ({ id }: User) => ({
  TableName,
  Key: userKey(id),
  ConditionExpression: 'version = :read',
});

export const requireUserUnchanged = (user: User): TransactItem => ({
  ConditionCheck: { ...ifUnchanged(user), ExpressionAttributeValues: { ':read': user.version } },
});

/** The condition that the user is as it was read: unchanged, or still not there. */
export const requireSameUser = (id: string, read: User | undefined): TransactItem =>
  read
    ? requireUserUnchanged(read)
    : { ConditionCheck: { TableName, Key: userKey(id), ConditionExpression: 'attribute_not_exists(pk)' } };

/** Sets only the attributes that this version of the service knows, so that those of a later one stay. */
export function updateUserIfUnchanged(user: User, { name, email, fields, updatedAt, version, by }: NewVersion) {
  const isChanged = fields !== user.fields;
  return {
    ...ifUnchanged(user),
    UpdateExpression:
      `SET #name = :name, email = :email, updatedAt = :updatedAt, version = :version, #by = :by${isChanged ? ', #fields = :fields' : ''}` as const,
    ExpressionAttributeNames: { '#name': 'name', '#by': 'by', ...(isChanged ? { '#fields': 'fields' } : {}) },
    ExpressionAttributeValues: {
      ':name': name,
      ':email': email,
      ':updatedAt': updatedAt,
      ':version': version,
      ':by': by,
      ':read': user.version,
      ...(isChanged ? { ':fields': fields } : {}),
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
}

export const deleteUserIfUnchanged = (user: User): TransactItem => ({
  Delete: {
    ...ifUnchanged(user),
    ExpressionAttributeValues: { ':read': user.version },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  },
});
