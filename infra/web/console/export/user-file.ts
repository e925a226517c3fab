import { formatCell } from '../../../transfer/cells.ts';
import { BYTE_ORDER_MARK, formatPlainRecord, formatRecord } from '../../../transfer/csv-format.ts';
import { download, TextParts } from '../download.ts';
import { listMembers } from '../own-fields.ts';

export type Format = 'csv' | 'ndjson';

/** Same columns (CSV) or members (NDJSON) as `npm run export`. A plain CSV file has no apostrophes. */
export class UserFile {
  readonly #format: Format;
  readonly #formatRecord: typeof formatRecord;
  readonly #columns = ['id', ...listMembers(), 'createdAt', 'updatedAt', 'version'];
  readonly #text = new TextParts();
  count = 0;

  constructor(format: Format, { isPlain = false } = {}) {
    this.#format = format;
    this.#formatRecord = isPlain ? formatPlainRecord : formatRecord;
    if (format === 'csv') this.#text.append(BYTE_ORDER_MARK + this.#formatRecord(this.#columns));
  }

  append(users: readonly object[]): void {
    this.count += users.length;
    this.#text.append(users.map((user) => this.#formatUser(new Map(Object.entries(user)))).join(''));
  }

  download(): void {
    const type = this.#format === 'csv' ? 'text/csv' : 'application/x-ndjson';
    download(`users.${this.#format}`, type, this.listParts());
  }

  listParts = (): BlobPart[] => this.#text.list();

  #formatUser(members: ReadonlyMap<string, unknown>): string {
    if (this.#format === 'csv')
      return this.#formatRecord(this.#columns.map((name) => formatCell(name, members.get(name))));
    return `${JSON.stringify(Object.fromEntries([...members].filter(([, value]) => value !== null)))}\n`;
  }
}
