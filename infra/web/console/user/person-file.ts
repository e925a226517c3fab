import { isKnown, readPerson } from '../../../transfer/person.ts';
import { connect } from '../api/client.ts';
import { download } from '../download.ts';
import { ownFields } from '../own-fields.ts';

/** Downloads all that is held about one person, as `npm run export -- --user ID` prints it. */
export async function downloadPerson(id: string): Promise<void> {
  const fields = ownFields.get().map(({ name }) => name);
  const person = await readPerson(connect(fields), id, fields);
  if (!isKnown(person)) throw new Error('nothing is held about this user');
  download(`${id}.json`, 'application/json', [`${JSON.stringify(person, undefined, 2)}\n`]);
}
