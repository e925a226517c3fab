import { ChangeMessageVisibilityCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as z from 'zod/mini';
import { DeadlineHttpHandler } from '../../dynamodb/requests.ts';
import { environment } from '../../environment.ts';
import { logError, logFailure } from '../../log.ts';
import { mapParallel } from '../../parallel.ts';
import { type Failure, MAX_RETRY_AFTER_MS, parseReceiver, postEvent } from './webhook.ts';
import { choosePause } from './webhook-retries.ts';
import { getSecrets } from './webhook-secrets.ts';

const queues = new SQSClient({ requestHandler: new DeadlineHttpHandler() });

export async function postBatch({ Records }: SQSEvent): Promise<SQSBatchResponse> {
  const secrets = getSecrets();
  const failed = await mapParallel(Records, async (record) => {
    const failure = await postRecord(record, secrets);
    if (!failure) return [];
    await postpone(record, failure);
    return [{ itemIdentifier: record.messageId }];
  });
  return { batchItemFailures: failed.flat() };
}

async function postRecord(record: SQSRecord, secrets: Promise<string[]>): Promise<Failure | undefined> {
  try {
    const keys = await secrets;
    const event = parseEvent(record.body);
    const failure = await postEvent(parseReceiver(environment.webhookUrl), keys, {
      id: event.id,
      body: JSON.stringify(event),
    });
    if (failure)
      console.warn({
        event: 'webhook-failed',
        id: event.id,
        type: event.type,
        reason: failure.reason,
        attempt: getAttempt(record),
      });
    return failure;
  } catch (error) {
    logError(error, { messageId: record.messageId });
    return { reason: 'internal error' };
  }
}

/** EventBridge's event, with the CloudEvent as `detail`. */
const message = z.object({ detail: z.looseObject({ id: z.string(), type: z.string() }) });

/** Hides parser errors, which may quote the event. */
function parseEvent(body: string): z.infer<typeof message>['detail'] {
  try {
    return message.parse(JSON.parse(body)).detail;
  } catch {
    throw new Error('Invalid message: expected an EventBridge event with a CloudEvent as its detail');
  }
}

const getAttempt = ({ attributes }: SQSRecord): number => Number(attributes.ApproximateReceiveCount);

/** Sets the pause before the next attempt. If this fails, the queue's visibility timeout applies. */
async function postpone(record: SQSRecord, { retryAfterMs = 0 }: Failure): Promise<void> {
  const asked = Math.ceil(Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) / 1000);
  const change = new ChangeMessageVisibilityCommand({
    QueueUrl: environment.webhookQueueUrl,
    ReceiptHandle: record.receiptHandle,
    VisibilityTimeout: Math.max(choosePause(getAttempt(record)), asked),
  });
  try {
    await queues.send(change);
  } catch (error) {
    logFailure(error, { messageId: record.messageId });
  }
}
