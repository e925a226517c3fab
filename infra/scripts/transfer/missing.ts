import { listClaims } from '../../../lib/users/derived.ts';
import { changeFields } from '../../../lib/users/fields/values.ts';
import { FirstLines } from '../../transfer/first-lines.ts';
import type { ExportedUser } from '../../transfer/person.ts';
import type { Row } from '../../transfer/rows.ts';
import { type ExportSource, writeRows } from './write-rows.ts';

type Keyed = { id?: string | undefined; email: string };

/**
 * Finds users without a row in a file. `by`: `id`, `email` or a unique field. Keeps 64-bit hashes of the keys in the
 * file: 20 MB per million. Equal hashes only hide a user.
 */
export class MissingUsers {
  readonly #by: string;
  readonly #keys = new FirstLines();
  #rows = 0;
  #rowsWithoutKey = 0;

  constructor(by: string) {
    this.#by = by;
  }

  async *watch(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
    for await (const row of rows) {
      const key = row.issues ? undefined : this.#findKey({ ...row.user, id: row.kept.id });
      this.#rows++;
      if (key === undefined) this.#rowsWithoutKey++;
      else this.#keys.add(key, row.line);
      yield row;
    }
  }

  /** Call it once all rows are read. Throws unless all keys of the file are known. Returns the number of users. */
  async write(file: string, { readUsers, fields }: ExportSource, signal: AbortSignal): Promise<number> {
    if (this.#rows === 0) throw new Error('No report of missing users: the file has no rows');
    if (this.#rowsWithoutKey > 0)
      throw new Error(
        `No report of missing users: ${this.#rowsWithoutKey.toLocaleString('en')} rows have no valid ${this.#by}, or other issues. Correct them, as the results say`,
      );
    const { users } = await writeRows(file, this.#select(readUsers({ posts: false })), fields, { signal });
    return users;
  }

  async *#select(users: AsyncIterable<ExportedUser>): AsyncGenerator<ExportedUser> {
    for await (const user of users) {
      const key = this.#findKey(user);
      if (key === undefined || this.#keys.find(key) === undefined) yield user;
    }
  }

  /** Keys are compared as the table compares unique values. */
  #findKey(user: Keyed): string | undefined {
    if (this.#by === 'id') return user.id;
    return listClaims({ ...user, ...changeFields({}, user) }).find(({ claimOf }) => claimOf === this.#by)?.key.pk;
  }
}
