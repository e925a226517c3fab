import { expect, test } from 'vitest';
import { findTraces, readIdentity } from '../../../infra/scripts/person-traces.ts';
import { deleteItems, putItems } from '../../../lib/dynamodb/batch.ts';
import { bare } from '../../lib/rest/client.ts';

test('a search entry is a trace although it lacks the invisible characters of the name', async () => {
  const { id } = await bare.newUser({ name: 'Ni\u00adna' });
  const identity = await readIdentity(id);
  await bare.remove(id);
  const left = { pk: 'SEARCH#ni', sk: `nina\t${id}` };
  await putItems([left]);
  expect((await findTraces([identity])).traces).toContain(`${left.pk} ${left.sk}`);
  await deleteItems([left]);
});
