import { AwsError } from './aws-cli.ts';
import { describeError } from './command.ts';

/** `note`: works, but the reader should know. `unknown`: could not be checked. */
export type Finding = { kind: 'fine' | 'note' | 'fails' | 'unknown'; text: string };

export type Point = { name: string; check: () => Promise<Finding> };

export const fine = (text: string): Finding => ({ kind: 'fine', text });
export const note = (text: string): Finding => ({ kind: 'note', text });
export const fails = (text: string): Finding => ({ kind: 'fails', text });

const LABELS = { fine: 'ok', note: 'note', fails: 'FAILS', unknown: '?' };

/** Returns findings instead of errors, because one point must not hide the others. */
export async function checkPoint({ name, check }: Point): Promise<Finding & { name: string }> {
  return { name, ...(await check().catch((error: Error): Finding => ({ kind: 'unknown', text: explain(error) }))) };
}

/** An empty `action`: AWS hides the name, as for KMS keys. */
function explain(error: Error): string {
  if (!(error instanceof AwsError)) return describeError(error);
  if (!/AccessDenied|NotAuthorized|Unauthorized/.test(error.code)) return `${error.code}: ${error.message}`;
  const [, action] = /not authorized to perform: ([\w-]+:\w+)/.exec(error.message) ?? [];
  return action
    ? `not checked, because the right ${action} is missing: see access.md`
    : `not checked, because a right is missing: ${error.message}`;
}

export const formatFinding = ({ name, kind, text }: Finding & { name: string }): string =>
  `${LABELS[kind].padEnd(6)}${name}: ${text}`;

/** Sets the exit code to 1 unless every point was checked and none fails. */
export function summarize(findings: Finding[]): string {
  const count = (kind: Finding['kind']) => findings.filter((each) => each.kind === kind).length;
  if (count('fails') + count('unknown') > 0) process.exitCode = 1;
  return `${findings.length} points: ${count('fails')} fail, ${count('unknown')} not checked, ${count('note')} notes`;
}
