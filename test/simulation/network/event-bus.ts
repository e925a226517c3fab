import type { Answer } from '../database/database.ts';
import type { Fault } from '../options.ts';
import type { Random } from '../random.ts';

/** A part of an entry of PutEvents: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEventsRequestEntry.html */
type Entry = { DetailType: string; Detail: string };

/** The bus has accepted an event, at this time in ms. */
export type Accepted = { at: number; type: string; detail: string };

const MAX_ENTRIES = 10;

/** An event bus of EventBridge, as far as the service uses it. It takes what it can of a request, and says for each entry whether it did. */
export class EventBus {
  readonly accepted: Accepted[] = [];
  /** A bus that is down throttles everything. */
  isDown = false;

  put(input: object, at: number, fault: Fault | undefined, random: Random): Answer {
    const { Entries } = input as { Entries: Entry[] }; // The SDK made it.
    if (Entries.length > MAX_ENTRIES) return { status: 400, body: { __type: 'ValidationException' } };
    const failures = Entries.map(() => this.isDown || (fault === 'unprocessed' && random.chance(0.5)));
    for (const [index, { DetailType, Detail }] of Entries.entries())
      if (!failures[index]) this.accepted.push({ at, type: DetailType, detail: Detail });
    const results = failures.map((isFailed, index) =>
      isFailed
        ? { ErrorCode: random.chance(0.5) ? 'ThrottlingException' : 'InternalFailure', ErrorMessage: 'try again' }
        : { EventId: `${at}-${index}` },
    );
    return { status: 200, body: { FailedEntryCount: failures.filter(Boolean).length, Entries: results } };
  }
}
