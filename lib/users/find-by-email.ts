import { GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { TableName, table } from '../dynamodb/client.ts';
import { emailKey } from '../dynamodb/keys.ts';
import { canonicalEmail, parseEmail } from './email.ts';
import { findUser } from './get.ts';
import type { User } from './schema.ts';

const claim = z.object({ userId: z.string() });

/** Case-insensitive. Undefined for an invalid address, and for one that no user has. */
export async function findUserByEmail(address: string): Promise<User | undefined> {
  const email = parseEmail(address);
  if (!email) return undefined;
  const Key = emailKey(canonicalEmail(email));
  const { Item } = await table.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  const user = Item && (await findUser(claim.parse(Item).userId));
  // The user may have changed the email between the two reads.
  return user && canonicalEmail(user.email) === canonicalEmail(email) ? user : undefined;
}
