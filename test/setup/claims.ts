import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { emailKey } from '../../lib/dynamodb/keys.ts';
import { canonicalEmail } from '../../lib/users/email.ts';

const item = z.object({ pk: z.string(), email: z.string().optional(), userId: z.string().optional() });

export async function auditClaims(table: DynamoDBDocumentClient, TableName: string) {
  const items: z.infer<typeof item>[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const page = await table.send(new ScanCommand({ TableName, ConsistentRead: true, ExclusiveStartKey }));
    items.push(...z.array(item).parse(page.Items ?? []));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  const claims = new Map(items.flatMap(({ pk, userId }) => (pk.startsWith('EMAIL#') ? [[pk, userId]] : [])));
  const users = items.flatMap(({ pk, email }) =>
    email === undefined || !pk.startsWith('USER#')
      ? []
      : [{ claim: emailKey(canonicalEmail(email)).pk, id: pk.slice('USER#'.length) }],
  );
  const claimed = new Set(users.map(({ claim }) => claim));
  return {
    users: users.length,
    usersWithoutClaim: users.filter(({ claim, id }) => claims.get(claim) !== id),
    claimsWithoutUser: [...claims.keys()].filter((pk) => !claimed.has(pk)),
  };
}
