import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { SYSTEM } from '../../lib/auth/caller.ts';
import { TableName, table } from '../../lib/dynamodb/client.ts';
import { normalizeId } from '../../lib/dynamodb/keys.ts';
import { requireSubjectField } from '../../lib/features/me/fields.ts';
import { issuerKey } from '../../lib/features/me/keys.ts';
import { ISSUER_TTL_MS } from '../../lib/features/me/read.ts';
import { valueSchema } from '../../lib/users/fields/value-schema.ts';
import { listSubjects } from '../../lib/users/fields/values.ts';
import { findStoredUser } from '../../lib/users/read.ts';
import { nextVersion } from '../../lib/users/user.ts';
import { writeUser } from '../../lib/users/write.ts';
import { readTable } from '../transfer/csv.ts';
import { readLines } from '../transfer/lines.ts';
import { openSource } from './transfer/source.ts';

type Row = { line: number; id: string; subjects: string[] };
type Failure = { line: number; reason: string };
export type Relinked = { changed: number; unchanged: number; failures: Failure[] };

const MAX_LINE_BYTES = 10_000;

type RelinkOptions = {
  issuer: string;
  isDryRun?: boolean;
  /** Waits until no process uses a cached former issuer. */
  pause?: (ms: number) => Promise<unknown>;
};

/** Matches no token, so people cannot use their own records meanwhile. */
const RELINKING = 'relink in progress';

const storeIssuer = (issuer: string) => table.send(new PutCommand({ TableName, Item: { ...issuerKey, issuer } }));

/**
 * Sets users' subjects from a file, then stores the issuer. Own records are unusable meanwhile and after a failed row:
 * a former issuer's token could contain another user's new subject. Retries a row if another row frees its subject. If
 * the subject is a list, the rows of a user replace the whole list.
 */
export async function relink(
  file: string,
  { issuer, isDryRun = false, pause = sleep }: RelinkOptions,
): Promise<Relinked> {
  const { rows, failures } = await readRows(file);
  const result: Relinked = { changed: 0, unchanged: 0, failures };
  if (!isDryRun) {
    await storeIssuer(RELINKING);
    await pause(ISSUER_TTL_MS);
  }
  let open = rows;
  for (;;) {
    const taken: Row[] = [];
    for (const row of open) {
      const outcome = await relinkUser(row, isDryRun);
      if (outcome === 'taken') taken.push(row);
      else if (outcome === 'missing') failures.push({ line: row.line, reason: `No user has the id ${row.id}` });
      else result[outcome]++;
    }
    if (taken.length === 0) break;
    if (taken.length === open.length) {
      const reason =
        'Another user has this subject. To swap the subjects of two users, give one a temporary subject first';
      failures.push(...taken.map(({ line }) => ({ line, reason })));
      break;
    }
    open = taken;
  }
  failures.sort((one, other) => one.line - other.line);
  if (failures.length === 0 && !isDryRun) await storeIssuer(issuer);
  return result;
}

async function relinkUser(
  { id, subjects }: Row,
  isDryRun: boolean,
): Promise<'changed' | 'unchanged' | 'taken' | 'missing'> {
  const { name, list } = requireSubjectField();
  const subject = list ? subjects : subjects[0];
  const current = await findStoredUser(id);
  if (!current) return 'missing';
  if (isDeepStrictEqual(listSubjects(current.user), subjects)) return 'unchanged';
  if (isDryRun) return 'changed';
  const result = await writeUser({
    current,
    async plan(read) {
      const before = read ?? (await findStoredUser(id));
      return before && { before, after: nextVersion(before.user, { id, [name]: subject }, SYSTEM) };
    },
  });
  if (result.kind === 'taken') return 'taken';
  if (result.kind === 'written') return 'changed';
  return result.kind === 'unneeded' && result.change ? 'unchanged' : 'missing';
}

async function readRows(file: string): Promise<{ rows: Row[]; failures: Failure[] }> {
  const { columns, records } = await readTable(readLines(openSource(file).chunks, { maxBytes: MAX_LINE_BYTES }));
  const [idAt, subjectAt] = [columns.indexOf('id'), columns.indexOf('subject')];
  if (idAt < 0 || subjectAt < 0)
    throw new Error(`The file must have the columns id and subject, but has ${columns.join(', ')}`);
  const { list, maxItems } = requireSubjectField();
  const schema = valueSchema({ ...requireSubjectField(), list: false });
  const rows = new Map<string, Row>();
  const failures: Failure[] = [];
  for await (const { line, cells, issue } of records) {
    if (issue !== undefined) failures.push({ line, reason: issue });
    else {
      const [typedId = '', subject = ''] = [cells[idAt], cells[subjectAt]];
      const id = normalizeId(typedId.trim());
      const { error } = schema.safeParse(subject);
      const first = rows.get(id);
      if (error) failures.push({ line, reason: `The subject ${error.issues[0]?.message}` });
      else if (!first) rows.set(id, { line, id, subjects: [subject] });
      else if (!list) failures.push({ line, reason: `Line ${first.line} has the same id` });
      else if (first.subjects.includes(subject)) failures.push({ line, reason: 'An earlier line has this subject' });
      else if (first.subjects.length === maxItems)
        failures.push({ line, reason: `A user has at most ${maxItems} subjects` });
      else first.subjects.push(subject);
    }
  }
  return { rows: [...rows.values()], failures };
}
