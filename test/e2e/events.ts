import { deepEqual, match } from 'node:assert/strict';
import type { ApiProxy } from './proxy.ts';
import type { Shell } from './shell.ts';

/** The commands of infra/events.md that send events to a queue. */
const CONNECT = `
queue=$(aws sqs create-queue --queue-name received-events --query QueueUrl --output text)
arn=$(aws sqs get-queue-attributes --queue-url "$queue" --attribute-names QueueArn --query Attributes.QueueArn --output text)
aws events put-rule --event-bus-name "$BUS" --name to-queue --event-pattern '{"source":[{"prefix":"user-management/"}]}' > /dev/null
aws events put-targets --event-bus-name "$BUS" --rule to-queue --targets "[{\\"Id\\":\\"queue\\",\\"Arn\\":\\"$arn\\",\\"InputPath\\":\\"$.detail\\"}]" > /dev/null
echo "$queue"`;

const RECEIVE = `
for _ in $(seq 30); do
  message=$(aws sqs receive-message --queue-url "$QUEUE" --wait-time-seconds 2 --query 'Messages[0].Body' --output text)
  [ -n "$message" ] && [ "$message" != None ] && break
done
echo "$message"`;

const DISCONNECT = `
aws events remove-targets --event-bus-name "$BUS" --rule to-queue --ids queue > /dev/null
aws events delete-rule --event-bus-name "$BUS" --name to-queue
aws sqs delete-queue --queue-url "$QUEUE"`;

/** A rule on the bus must deliver the event to a queue. */
export async function checkEvents(shell: Shell, { url }: ApiProxy, BUS: string): Promise<void> {
  const QUEUE = (await shell(CONNECT, { BUS })).trim();
  const user = { name: 'Grace Hopper', email: 'grace@example.com' };
  const created = await fetch(`${url}/v1/users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(user),
  });
  const { id } = (await created.json()) as { id: string };
  const event = JSON.parse(await shell(RECEIVE, { QUEUE }));
  const { specversion, type, subject, data } = event;
  const { createdAt, updatedAt, ...after } = data.after;
  deepEqual([specversion, type, subject, data.kind, data.before], ['1.0', 'user.created', id, 'CREATED', null]);
  deepEqual(after, { id, ...user, version: 1 });
  match(event.id, new RegExp(`#USER#${id}/\\d{40}$`));
  await fetch(`${url}/v1/users/${id}`, { method: 'DELETE' });
  await shell(DISCONNECT, { BUS, QUEUE });
}
