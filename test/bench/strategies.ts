import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../lib/dynamodb/client.ts';
import { queryUsers, skipUsers } from '../../lib/users/directory.ts';
import { listUsers } from '../../lib/users/list.ts';
import { parseUser, type User } from '../../lib/users/schema.ts';

/** A strategy finds page N. `tells` is what it returns; `varies` if its cost depends on the page. */
export type Strategy = {
  name: string;
  tells: string;
  varies: boolean;
  page(page: number, limit: number): Promise<User[]>;
};

export const strategies: Strategy[] = [
  {
    name: 'page index',
    tells: 'page and total',
    varies: true,
    page: async (page, limit) => (await listUsers({ page, limit })).users,
  },
  {
    name: 'skip-scan',
    tells: 'page only',
    varies: true,
    async page(page, limit) {
      const startAfter = await skipUsers(undefined, (page - 1) * limit);
      return startAfter === null ? [] : (await queryUsers(startAfter, limit)).users;
    },
  },
  {
    name: 'Scan and slice',
    tells: 'page and total',
    varies: false,
    async page(page, limit) {
      const users: User[] = [];
      for await (const { Items = [] } of paginateScan({ client: table }, { TableName }))
        users.push(...Items.filter(({ sk }) => sk === 'USER').map(parseUser));
      return users.sort((a, b) => (a.id < b.id ? -1 : 1)).slice((page - 1) * limit, page * limit);
    },
  },
];
