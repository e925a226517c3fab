/** Data that remains after an erasure, as in infra/erase.md. The person may read it. */
export const REMAINS: [what: string, why: string][] = [
  [
    'This record: the ids, who asked and when',
    'Proves the erasure, and repeats it after a restore. A day longer than the backups, at least 36 days.',
  ],
  [
    'That the id was created, changed and deleted, when and by whom',
    'The audit, without values. As long as the history.',
  ],
  ['A hash of the id at the sign-in', 'Only if people edit their own records. 24 hours.'],
  ['Other deleted users with the same address', 'They may be other people. As long as the history, unless erased.'],
  ['The stream of the table', 'Only functions of the service read it. 24 hours.'],
  [
    'Backups and exports of the table',
    'At least 35 days, and as long as the operators keep further backups and exports. An erasure is repeated after a restore.',
  ],
  [
    'Events',
    'Receivers get the deletion, and have to erase their copies. Events that a receiver does not accept wait for up to 14 days.',
  ],
  [
    'Logs',
    'Who called the service, from which IP address. Logs of the site may include names and addresses that were searched for. As long as logs are kept.',
  ],
  ['The account to sign in', 'Another system keeps it until it is deleted there.'],
];
