import { EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import { DeadlineHttpHandler } from '../../dynamodb/requests.ts';
import { environment } from '../../environment.ts';
import { isUnavailable, unavailable } from '../../errors.ts';
import type { CloudEvent } from './cloud-event.ts';
import type { Send } from './publish.ts';

/** The pauses between the attempts of `publishBatch` follow; here, a lost connection is repeated at once. */
const MAX_ATTEMPTS = 2;

/** Endpoint, region and credentials come from the standard AWS environment variables. */
export const eventBridge = new EventBridgeClient({
  maxAttempts: MAX_ATTEMPTS,
  retryStrategy: new ConfiguredRetryStrategy(MAX_ATTEMPTS, () => environment.random() * 50),
  requestHandler: new DeadlineHttpHandler({
    connectionTimeout: environment.attemptTimeLimitMs,
    requestTimeout: environment.attemptTimeLimitMs,
    throwOnRequestTimeout: true,
  }),
});

/**
 * https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html. Since January 2026 a request may have 1 MB; the largest
 * event has some 50 kB, so that the older limit does as well.
 */
const MAX_ENTRIES = 10;
const MAX_BYTES = 256 * 1024;

/** Puts events on the bus of the stack. */
export const putEvents: Send = async (events) => {
  const errors = await Promise.all(splitIntoRequests(events.map(toEntry)).map(putEntries));
  return errors.flat();
};

const toEntry = (event: CloudEvent): PutEventsRequestEntry => ({
  EventBusName: environment.eventBusName,
  Source: event.source,
  DetailType: event.type,
  Time: new Date(event.time),
  Detail: JSON.stringify(event),
});

function splitIntoRequests(entries: PutEventsRequestEntry[]): PutEventsRequestEntry[][] {
  const requests: PutEventsRequestEntry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = measureEntry(entry);
    const last = requests.at(-1);
    if (last && last.length < MAX_ENTRIES && bytes + size <= MAX_BYTES) {
      last.push(entry);
      bytes += size;
    } else {
      requests.push([entry]);
      bytes = size;
    }
  }
  return requests;
}

const TIME_BYTES = 14;

/** https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevent-size.html */
const measureEntry = ({ Source = '', DetailType = '', Detail = '' }: PutEventsRequestEntry): number =>
  TIME_BYTES + [Source, DetailType, Detail].reduce((sum, text) => sum + Buffer.byteLength(text), 0);

/** The bus accepts or rejects each entry of a request by itself. */
async function putEntries(entries: PutEventsRequestEntry[]): Promise<(Error | undefined)[]> {
  try {
    const { Entries = [] } = await eventBridge.send(new PutEventsCommand({ Entries: entries }));
    return entries.map((_, at) => toError(Entries[at] ?? { ErrorCode: 'InternalFailure' }));
  } catch (error) {
    return entries.map(() =>
      toError({ ErrorCode: isUnavailable(error) ? 'Unavailable' : String((error as Error).name) }),
    );
  }
}

/** The bus will never accept an event that it has rejected with one of these codes. */
const PERMANENT = /^(MalformedDetail|InvalidArgument|ValidationException|RedactionFailure)$/;

/** These pass by themselves. Others, such as a denied access or a disabled key, wait for an operator. */
const TEMPORARY = /Throttl|Internal|Unavailable/;

/** Messages of EventBridge may quote the event, so only the code is kept. */
function toError({ ErrorCode }: { ErrorCode?: string | undefined }): Error | undefined {
  if (!ErrorCode) return undefined;
  const rejected = new Error(`EventBridge rejected an event: ${ErrorCode}`);
  if (PERMANENT.test(ErrorCode)) return rejected;
  return TEMPORARY.test(ErrorCode) ? unavailable() : Object.assign(unavailable(), { cause: rejected });
}
