import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { REMAINS } from '../../../../../infra/web/console/user/remains.ts';

/** The console's row for the start of each row in infra/erase.md. Null if that row contains no personal data. */
const ROWS: Record<string, string | null> = {
  'the erasure: ': 'This record',
  'the deletion: ': 'That the id was',
  'history: ': 'That the id was',
  'with [own records]': 'A hash of the id',
  'other deleted users with the same address': 'Other deleted users',
  'page index': null,
  'logs of the functions': 'Logs',
  'access log of REST': 'Logs',
  'dead letters of the stream': null,
  'dead letters of the bus': 'Events',
  'queue of the webhook': 'Events',
  'dead letters of the webhook': 'Events',
  'CloudFront logs': 'Logs',
  "the table's stream": 'The stream',
  'stream of `npm start`': 'The stream',
  'point-in-time recovery': 'Backups',
  backups: 'Backups',
  'exports of the table': 'Backups',
  'CloudTrail data events': 'Logs',
  'the account at the identity provider': 'The account',
  'callers (`by`)': 'That the id was',
  'events that were not sent': 'Events',
  'events that were sent': 'Events',
};

test('the confirmation of an erasure names each kind of data that infra/erase.md says remains', () => {
  const [, section = ''] = /## What remains[^\n]*\n([\s\S]*?)\n## /.exec(readFileSync('infra/erase.md', 'utf8')) ?? [];
  const rows = [...section.matchAll(/^\| (?!what |---)(.+?) \|/gm)].map(([, what = '']) => what);
  expect(rows.map((row) => Object.keys(ROWS).find((start) => row.startsWith(start)) ?? row)).toEqual(Object.keys(ROWS));
  const named = Object.values(ROWS).filter((start) => start !== null);
  expect(named.filter((start) => !REMAINS.some(([what]) => what.startsWith(start)))).toEqual([]);
});
