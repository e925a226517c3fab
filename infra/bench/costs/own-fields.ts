import { createUser } from '../../../test/setup/create-user.ts';
import { newPerson } from '../../../test/setup/test-data.ts';
import { type Changes, withChanges } from './changes.ts';
import { measureOperation } from './measurements.ts';
import { rest } from './operations.ts';

type Sample = { name: string; field: string; values: [unknown, unknown] };

const samples: Sample[] = [
  { name: 'plain (`age`)', field: 'age', values: [36, 37] },
  { name: '`unique` (`seat`)', field: 'seat', values: [1, 2] },
  { name: '`search` (`tags`), one word', field: 'tags', values: [['math'], ['poetry']] },
  {
    name: '`unique` and `search` (`nickname`), two words',
    field: 'nickname',
    values: ['The Countess', 'My Enchantress'],
  },
];

/** Requires a service that declares the fields of `samples`. */
export const measureOwnFields = (): Promise<string> => withChanges(measureSamples);

async function measureSamples(changes: Changes): Promise<string> {
  const measureWrites = async (functionName: string, id: string, body: object | undefined) => {
    const operation = rest(functionName, functionName, { ...(id ? { id } : {}), ...(body ? { body } : {}) });
    const { request, onChange } = await measureOperation(operation, changes);
    return String(request.writes + onChange.writes);
  };
  const create = async (fields: object) => {
    const { id } = await createUser({ ...newPerson(), ...fields });
    await changes.consume(1);
    return id;
  };
  // The first change also creates an item that later changes only update, so this one is not measured.
  await create({});
  const none = await create({});
  const rows = [
    [
      'none',
      await measureWrites('create-user', '', newPerson()),
      '',
      `${await measureWrites('update-user', none, { name: 'Ada' })} (name)`,
      '',
      await measureWrites('delete-user', await create({}), undefined),
    ],
  ];
  for (const { name, field, values } of samples) {
    const created = await measureWrites('create-user', '', { ...newPerson(), [field]: third(values[0]) });
    const id = await create({});
    const set = await measureWrites('update-user', id, { [field]: values[0] });
    const changed = await measureWrites('update-user', id, { [field]: values[1] });
    const cleared = await measureWrites('update-user', id, { [field]: null });
    const deleted = await measureWrites('delete-user', await create({ [field]: values[1] }), undefined);
    rows.push([name, created, set, changed, cleared, deleted]);
  }
  const head = ['own field', 'create with it', 'set', 'change', 'clear', 'delete with it'];
  const lines = [head, ['---', ...head.slice(1).map(() => '---:')], ...rows];
  return `${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`;
}

const third = (value: unknown): unknown =>
  typeof value === 'number' ? value + 100 : Array.isArray(value) ? value : `${value} 3`.slice(0, 30);
