import type { Answer } from '../database/database.ts';
import type { Fault } from '../options.ts';
import type { Random } from '../random.ts';

/** https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEventsRequestEntry.html */
type Entry = { DetailType: string; Detail: string };

/** `at` in ms. */
export type Accepted = { at: number; type: string; detail: string };

const MAX_ENTRIES = 10;

export class EventBus {
  readonly accepted: Accepted[] = [];
  /** Throttles all entries. */
  isDown = false;

  put(input: object, at: number, fault: Fault | undefined, random: Random): Answer {
    const { Entries } = input as { Entries: Entry[] }; // The SDK has built the input.
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
