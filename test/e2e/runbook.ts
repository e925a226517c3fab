import { deepEqual, match } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { findCodeBlocks } from '../setup/markdown.ts';
import { STACK } from './cdk.ts';
import type { Shell } from './shell.ts';

const runbook = readFileSync('infra/runbook.md', 'utf8');

/** Used by all commands of the runbook. */
export const DEFINITIONS = `STACK=${STACK}\n. infra/resources.sh`;

/** Returns the shell blocks under a heading. */
export function readCommands(heading: string): string[] {
  const [, section = ''] = runbook.split(`# ${heading}\n`);
  return findCodeBlocks(section.split(/^#+ /m)[0] ?? '', 'sh');
}

/** Sends a dead letter for the oldest stream records, as on-change does, but with the shard. */
const SEND_DEAD_LETTER = `
stream=$(aws dynamodb describe-table --table-name "$TABLE" --query Table.LatestStreamArn --output text)
shard=$(aws dynamodbstreams describe-stream --stream-arn "$stream" --query 'StreamDescription.Shards[0].ShardId' --output text)
iterator=$(aws dynamodbstreams get-shard-iterator --stream-arn "$stream" --shard-id "$shard" --shard-iterator-type TRIM_HORIZON --output text)
first=$(aws dynamodbstreams get-records --shard-iterator "$iterator" --query 'Records[0].dynamodb.SequenceNumber' --output text)
aws sqs send-message --queue-url "$(resource SQS::Queue changesdeadletters)" --message-body \\
  "{\\"consumer\\":\\"$ON_CHANGE\\",\\"DDBStreamBatchInfo\\":{\\"shardId\\":\\"$shard\\",\\"startSequenceNumber\\":\\"$first\\",\\"streamArn\\":\\"$stream\\"}}" > /dev/null`;

/** Redrives the dead letter: on-change must consume all of its records. */
export async function checkRedrive(shell: Shell): Promise<void> {
  const [redrive = ''] = readCommands('Redrive dead letters');
  const output = await shell(`${DEFINITIONS}
${SEND_DEAD_LETTER}
${redrive}
aws sqs receive-message --queue-url "$(resource SQS::Queue changesdeadletters)" --query 'length(Messages || \`[]\`)'`);
  match(output, /^1 messages redriven, 0 left$/m, output);
  deepEqual(output.trim().split('\n').at(-1), '0', output);
}

const LIST_RESERVED = `
for function in createuser graphql; do
  name=$(resource Lambda::Function $function)
  echo "$function: $(aws lambda get-function-concurrency --function-name "$name" --query ReservedConcurrentExecutions --output text)"
done`;

/** Stops writes and allows them again: functions must get their concurrency back. */
export async function checkWritesStop(shell: Shell, graphqlConcurrency: string): Promise<void> {
  const [stop = '', ...others] = readCommands('Restore');
  const allow = others.find((block) => block.includes('allow_writes')) ?? '';
  const list = async (commands: string) =>
    (await shell(`${DEFINITIONS}\n${commands}\n${LIST_RESERVED}`))
      .match(/^\w+: .*$/gm)
      ?.map((line) => line.split(': ')[1]);
  deepEqual(await list(stop), ['0', '0']);
  deepEqual(await list(allow), ['None', graphqlConcurrency]);
}

export const checkTableConsistency = (shell: Shell, TABLE_NAME: string): Promise<string> =>
  shell(`npm run -s check-table -- --table ${TABLE_NAME}`);

/** Everything that `cdk destroy` could leave. */
const LIST_RESOURCES = `
aws dynamodb list-tables --query 'length(TableNames)'
aws logs describe-log-groups --query 'length(logGroups)'
aws lambda list-functions --query 'length(Functions)'
aws sqs list-queues --query 'length(QueueUrls || \`[]\`)'
aws sns list-topics --query 'length(Topics)'
aws events list-rules --query 'length(Rules)'
aws cloudwatch describe-alarms --query 'length(MetricAlarms)'
aws apigatewayv2 get-apis --query 'length(Items)'
aws cloudwatch list-dashboards --query 'length(DashboardEntries)'
aws iam list-roles --query "length(Roles[?starts_with(RoleName, '${STACK}-')])"`;

/** Only tables and log groups may remain. */
export async function checkRemains(shell: Shell, tableCount: number): Promise<void> {
  const counts = (await shell(LIST_RESOURCES)).trim().split('\n').map(Number);
  const [tables, logGroups = 0, ...others] = counts;
  deepEqual([tables, logGroups > 0, others], [tableCount, true, others.map(() => 0)]);
}
