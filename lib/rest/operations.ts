import { addLoginOperation } from '../features/me/rest-add-login.ts';
import { createMeOperation } from '../features/me/rest-create-me.ts';
import { deleteMeOperation } from '../features/me/rest-delete-me.ts';
import { getMeOperation } from '../features/me/rest-get-me.ts';
import { getMyDataOperation } from '../features/me/rest-get-my-data.ts';
import { signInOperation } from '../features/me/rest-sign-in.ts';
import { updateMeOperation } from '../features/me/rest-update-me.ts';
import { subjectField } from '../users/fields/values.ts';
import { isOffered, type Operation, type RestOperation } from './operation.ts';
import { createUserOperation } from './operations/create-user.ts';
import { deleteUserOperation } from './operations/delete-user.ts';
import { getUserOperation } from './operations/get-user.ts';
import { listUsersOperation } from './operations/list-users.ts';
import { replaceUserOperation } from './operations/replace-user.ts';
import { updateUserOperation } from './operations/update-user.ts';
import { upsertUserOperation } from './operations/upsert-user.ts';

/** By the function that serves each. Functions do not load this file: creating schemas slows a cold start. */
export const operations = {
  'list-users': listUsersOperation,
  'get-user': getUserOperation,
  'create-user': createUserOperation,
  'replace-user': replaceUserOperation,
  'update-user': updateUserOperation,
  'delete-user': deleteUserOperation,
  'get-me': getMeOperation,
  'create-me': createMeOperation,
  'update-me': updateMeOperation,
  'delete-me': deleteMeOperation,
  'sign-in': signInOperation,
  'add-login': addLoginOperation,
  'get-my-data': getMyDataOperation,
} as const satisfies Record<string, Operation>;

export type AnyOperation = RestOperation<unknown, unknown>;

export type OperationName = keyof typeof operations;

/** Operations that this deployment offers. The cast is needed, because `Object.keys` loses the type of the names. */
export const operationNames = (Object.keys(operations) as OperationName[]).filter((name) =>
  isOffered(operations[name], subjectField),
);

/** Includes operations that the function of another operation serves. */
export const allOperations = { ...operations, 'upsert-user': upsertUserOperation } as const;

export type RouteName = keyof typeof allOperations;

const serverOf = (name: RouteName): OperationName => (name === 'upsert-user' ? 'replace-user' : name);

type NamedRoute = { name: RouteName; operation: AnyOperation; functionName: OperationName };

/** Includes routes that this deployment does not offer. The casts restore types that `Object.keys` and the map lose. */
export const allRoutes: NamedRoute[] = (Object.keys(allOperations) as RouteName[]).map((name) => ({
  name,
  operation: allOperations[name] as AnyOperation,
  functionName: serverOf(name),
}));

/** Routes that this deployment offers, by its declared fields. */
export const routes = allRoutes.filter(({ operation }) => isOffered(operation, subjectField));
