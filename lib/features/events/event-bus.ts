import { EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import { DeadlineHttpHandler } from '../../dynamodb/requests.ts';
import { environment } from '../../environment.ts';
import { isUnavailable, unavailable } from '../../errors.ts';
import type { CloudEvent } from './cloud-event.ts';
import type { Send } from './publish.ts';

/** Attempts per request. `publishBatch` repeats failed requests after longer pauses. */
const MAX_ATTEMPTS = 2;

export const eventBridge = new EventBridgeClient({
  maxAttempts: MAX_ATTEMPTS,
  retryStrategy: new ConfiguredRetryStrategy(MAX_ATTEMPTS, () => environment.random() * 50),
  requestHandler: new DeadlineHttpHandler(),
});

/**
 * https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html. Requests may now have 1 MB, but the
 * largest event has about 50 kB.
 */
const MAX_ENTRIES = 10;
const MAX_BYTES = 256 * 1024;

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

/** Counts bytes as EventBridge does: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevent-size.html */
const measureEntry = ({ Source = '', DetailType = '', Detail = '' }: PutEventsRequestEntry): number =>
  TIME_BYTES + [Source, DetailType, Detail].reduce((sum, text) => sum + Buffer.byteLength(text), 0);

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

const PERMANENT = /^(MalformedDetail|InvalidArgument|ValidationException|RedactionFailure)$/;

/**
 * Matches error codes that a retry can fix. All other codes, such as denied access or a disabled key, wait for an
 * operator.
 */
const TEMPORARY = /Throttl|Internal|Unavailable/;

/** Keeps only the code, because EventBridge's messages may quote the event. */
function toError({ ErrorCode }: { ErrorCode?: string | undefined }): Error | undefined {
  if (!ErrorCode) return undefined;
  const rejected = new Error(`EventBridge rejected an event: ${ErrorCode}`);
  if (PERMANENT.test(ErrorCode)) return rejected;
  return TEMPORARY.test(ErrorCode) ? unavailable() : Object.assign(unavailable(), { cause: rejected });
}
