import { newPerson } from '../../../test/setup/test-data.ts';
import { type Changes, withChanges } from './changes.ts';
import { measureOperation } from './measurements.ts';
import { rest } from './operations.ts';

type Sample = { form: string; user: { name: string; tags?: string[] }; domainSearch?: 'on' | 'off' };

const samples: Sample[] = [
  { form: 'name of two words: *Ada King*', user: { name: 'Ada King' } },
  { form: 'the same with `domainSearch=off`', user: { name: 'Ada King' }, domainSearch: 'off' },
  { form: '*ae*, *oe*, *ue* for umlauts of one word: *Anna Müller*', user: { name: 'Anna Müller' } },
  { form: 'the same for both words: *Jürgen Müller*', user: { name: 'Jürgen Müller' } },
  { form: 'ending after an apostrophe: *Conan O’Brien*', user: { name: 'Conan O’Brien' } },
  { form: 'given name of two characters: *李明*', user: { name: '李明' } },
  { form: 'given name of three characters: *김철수*', user: { name: '김철수' } },
  { form: 'given name of four characters: *山田太郎*', user: { name: '山田太郎' } },
  { form: 'phone number in a search field: *+49 170 1234567*', user: { name: 'Ada King', tags: ['+49 170 1234567'] } },
  { form: 'phone number in one piece: *+491701234567*', user: { name: 'Ada King', tags: ['+491701234567'] } },
  {
    form: 'number in one piece without a calling code: *01701234567*',
    user: { name: 'Ada King', tags: ['01701234567'] },
  },
];

/** Requires a service with a search field `tags`. */
export const measureSearchTexts = (): Promise<string> => withChanges(measureSamples);

async function measureSamples(changes: Changes): Promise<string> {
  const create = async ({ user, domainSearch = 'on' }: Sample) => {
    process.env.DOMAIN_SEARCH = domainSearch;
    const operation = rest('create-user', 'create-user', { body: { ...newPerson(), ...user } });
    const { request, onChange } = await measureOperation(operation, changes);
    return request.writes + onChange.writes;
  };
  // The first change also creates an item that later changes only update, so this one is not measured.
  await create({ form: '', user: { name: 'Ada King' } });
  const rows: (string | number)[][] = [];
  for (const sample of samples) rows.push([sample.form, await create(sample)]);
  const lines = [['user', 'create'], ['---', '---:'], ...rows];
  return `${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`;
}
