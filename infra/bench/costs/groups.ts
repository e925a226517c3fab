import { environment } from '../../../lib/environment.ts';
import { groupDeletionsJob } from '../../../lib/features/groups/job.ts';
import { createGroup } from '../../../lib/features/groups/write.ts';
import { runJobs } from '../../../lib/maintenance/run.ts';
import { createUser } from '../../../test/setup/create-user.ts';
import { newPerson } from '../../../test/setup/test-data.ts';
import { loadUsersWithoutStream } from '../load.ts';
import { measureCost } from '../measure.ts';
import { graphql, type Operation, rest } from './operations.ts';

const GROUPS = 1_000;
const MEMBERS = 10_000;
const ADMINS = 3;
/** The measured deletion removes this number of members. */
const DELETED_MEMBERS = 100;
const MINUTE_MS = 60_000;

const BY = 'bench';

/** Requires an empty table, and a service with the roles member and admin. Returns a table of the operations. */
export async function measureGroups(): Promise<string> {
  const groups: string[] = [];
  for (let at = 0; at < GROUPS; at++)
    groups.push((await createGroup({ name: `Company ${at}`, externalId: `org_${at}` }, BY)).id);
  const [large = '', small = '', empty = '', deleted = ''] = groups;
  const createFields = (number: number) => ({
    groups: [{ id: large, role: number % (MEMBERS / ADMINS) < 1 ? 'admin' : 'member' }],
  });
  await loadUsersWithoutStream(MEMBERS, { createFields });
  for (let at = 0; at < DELETED_MEMBERS; at++) await createMember([deleted]);
  const operations = listOperations(
    { large, small, empty, deleted },
    await createMember([]),
    await createMember([small]),
  );

  const rows = [
    ['operation', 'requests', 'in sequence', 'RRU', 'WRU'],
    ['---', '---:', '---:', '---:', '---:'],
  ];
  for (const { name, run } of operations) {
    const { requests, rounds, reads, writes, indexWrites } = await measureCost(run);
    rows.push([name, requests, rounds, reads, writes + indexWrites].map(String));
  }
  return rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

const createMember = async (groups: string[]): Promise<string> =>
  (
    await createUser({ ...newPerson(), groups: groups.map((id) => ({ id, role: 'member' })) } as ReturnType<
      typeof newPerson
    >)
  ).id;

type Ids = { large: string; small: string; empty: string; deleted: string };

function listOperations({ large, small, empty, deleted }: Ids, user: string, member: string): Operation[] {
  const members = (args: string, selection: string) =>
    graphql(`{ group(id: "${large}") { members(first: 20${args}) { ${selection} } } }`);
  const mutation = (name: string, input: string, selection: string): Operation => ({
    ...graphql(`mutation { ${name}(input: { ${input} }) { ${selection} } }`),
    name: `\`${name}\``,
  });
  const named = (name: string, operation: Operation): Operation => ({ ...operation, name });
  const join = `groupId: "${large}", userId: "${user}"`;
  const write = 'user { version }';
  return [
    graphql(`{ group(id: "${large}") { name } }`),
    graphql('{ groupByExternalId(externalId: "org_7") { name } }'),
    graphql('{ groups(first: 20) { nodes { name } } }'),
    named(
      `the same with \`totalCount\` of ${format(GROUPS)} groups`,
      graphql('{ groups(first: 20) { totalCount nodes { name } } }'),
    ),
    named('the same with `search`', graphql('{ groups(first: 20, search: "comp") { nodes { name } } }')),
    named(`20 of ${format(MEMBERS)} members`, members('', 'nodes { name }')),
    named('the same with `role: "admin"`', members(', role: "admin"', 'nodes { name }')),
    named(`the same with \`totalCount\` of ${format(MEMBERS)}`, members('', 'totalCount nodes { name }')),
    rest('list-users', 'list, `?group=`: 20 users', { query: { group: large, limit: '20' } }),
    rest('get-user', 'get a member', { id: member }),
    graphql(`{ user(id: "${member}") { groups { role group { name } } } }`),
    named(
      '`createGroup`, with `externalId`',
      mutation('createGroup', 'name: "Acme", externalId: "acme"', 'group { id }'),
    ),
    named('`updateGroup`, name', mutation('updateGroup', `id: "${small}", name: "Globex"`, 'group { version }')),
    rest('create-user', 'create a member of 2 groups', {
      body: { ...newPerson(), groups: [{ id: large }, { id: small, role: 'admin' }] },
    }),
    mutation('addMember', join, write),
    named('the same again', mutation('addMember', join, write)),
    mutation('updateMember', `${join}, role: "admin"`, write),
    mutation('removeMember', join, write),
    named('`deleteGroup`, without members', mutation('deleteGroup', `id: "${empty}"`, 'id')),
    named(
      `\`deleteGroup\`, with ${DELETED_MEMBERS} members`,
      mutation('deleteGroup', `id: "${deleted}", removeMembers: true`, 'id'),
    ),
    { name: `its job: ${DELETED_MEMBERS} memberships`, api: 'GraphQL', changes: 0, run: runJob },
    { name: 'its last run, after a minute', api: 'GraphQL', changes: 0, run: runLastJob },
  ];
}

const format = (count: number): string => count.toLocaleString('en');

const runJob = () => runJobs([groupDeletionsJob], () => true);

async function runLastJob(): Promise<void> {
  const { now } = environment;
  environment.now = () => now() + 2 * MINUTE_MS;
  await runJob().finally(() => Object.assign(environment, { now }));
}
