import type { Mutants } from './mutants.ts';

const PUBLISH = 'lib/events/publish.ts';
const BUS = 'lib/events/event-bus.ts';
const EVENT = 'lib/events/cloud-event.ts';

/** They are about what leaves the service for others. */
export const eventMutants: Mutants = {
  'entries that the bus did not take are forgotten': {
    file: BUS,
    find: "toError(Entries[at] ?? { ErrorCode: 'InternalFailure' })",
    replace: '(Entries[at] ? undefined : unavailable())',
  },
  'a request that the bus did not answer is forgotten': {
    file: BUS,
    find: "ErrorCode: isUnavailable(error) ? 'Unavailable' : String((error as Error).name)",
    replace: "ErrorCode: isUnavailable(error) ? '' : String((error as Error).name)",
  },
  'an event that is repeated has another id': {
    file: EVENT,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: It is source.
    find: '`${topic}/${sequence}`',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: It is source.
    replace: '`${topic}/${sequence.slice(0, -2)}${10 + Math.floor(environment.random() * 90)}`',
  },
  'a batch that failed is acknowledged': {
    file: PUBLISH,
    find: 'return toBatchResponse(remaining);',
    replace: 'return toBatchResponse(remaining.slice(0, 0));',
  },
  'an event does not wait for the one before it': {
    file: PUBLISH,
    find: "return eventName === 'INSERT' && pk ? parseTopic(pk) : undefined;",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: It is source.
    replace: "return eventName === 'INSERT' && pk && parseTopic(pk) ? `${pk}${dynamodb?.SequenceNumber}` : undefined;",
  },
  'all of a batch that failed counts as accepted': {
    file: PUBLISH,
    find: 'publisher.accepted = remaining.length > 0 ? accepted : new Set();',
    replace:
      "publisher.accepted = new Set(remaining.map(({ dynamodb }) => parseTopic(dynamodb?.Keys?.pk?.S ?? '') + '/' + dynamodb?.Keys?.sk?.S));",
  },
};
