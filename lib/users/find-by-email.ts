import { GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { emailKey } from '../dynamodb/keys.ts';
import { TableName, table } from '../dynamodb/table.ts';
import { findUser } from './get.ts';
import { parseEmail, canonicalEmail, type User } from './schema.ts';

const claim = z.object({ userId: z.string() });

/** By exact address, in any spelling of it. Undefined for an address that nobody has, or that is none. */
export async function findUserByEmail(address: string): Promise<User | undefined> {
  const email = parseEmail(address);
  if (!email) return undefined;
  const Key = emailKey(canonicalEmail(email));
  const { Item } = await table.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  const user = Item && (await findUser(claim.parse(Item).userId));
  // Between the two reads the user may have moved to another address.
  return user && canonicalEmail(user.email) === canonicalEmail(email) ? user : undefined;
}
