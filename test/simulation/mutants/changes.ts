import type { Mutants } from './patches.ts';

const APPEND = 'lib/features/change-log/append.ts';
const SUBSCRIBE = 'lib/features/change-log/subscribe.ts';
const READ = 'lib/features/change-log/read.ts';
const PUBLISH = 'lib/features/events/publish.ts';
const BUS = 'lib/features/events/event-bus.ts';
const EVENT = 'lib/features/events/cloud-event.ts';

export const changeLogMutants: Mutants = {
  'a change log entry overwrites another': {
    file: APPEND,
    find: "ConditionExpression: 'attribute_not_exists(pk)',\n    ReturnValues",
    replace: "ConditionExpression: 'attribute_not_exists(pk) OR attribute_exists(pk)',\n    ReturnValues",
  },
  'an order log entry overwrites another': {
    file: APPEND,
    find: "writeIf('Put', { Item, ConditionExpression: 'attribute_not_exists(pk)' })",
    replace: "writeIf('Put', { Item })",
  },
  'a subscription skips entries that are not visible yet': {
    file: READ,
    find: 'getItems(late, { ConsistentRead: true })',
    replace: 'getItems(late)',
  },
  'change log entries expire after an hour': {
    file: 'lib/features/change-log/order-log.ts',
    find: 'Math.max(MIN_ENTRY_SECONDS, environment.historyDays * 24 * 3600) + MARGIN_SECONDS',
    replace: 'MARGIN_SECONDS',
  },
  'changes are dropped while a client is slow': {
    file: 'lib/features/change-log/live-reader.ts',
    find: 'else this.end();',
    replace: '',
  },
  'a subscription delivers changes twice': {
    file: SUBSCRIBE,
    find: 'if (isUpTo(position, cursor)) continue;',
    replace: '',
  },
  'a deletion is delivered as an update': {
    file: 'lib/on-change/stream-record.ts',
    find: "REMOVE: 'DELETED'",
    replace: "REMOVE: 'UPDATED'",
  },
};

export const eventMutants: Mutants = {
  'entries that the event bus rejected are dropped': {
    file: BUS,
    find: "toError(Entries[at] ?? { ErrorCode: 'InternalFailure' })",
    replace: '(Entries[at] ? undefined : unavailable())',
  },
  'a resent event has another id': {
    file: EVENT,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source code.
    find: '`${topic}/${sequence}`',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source code.
    replace: '`${topic}/${sequence.slice(0, -2)}${10 + Math.floor(environment.random() * 90)}`',
  },
  'an event is sent before the previous one was accepted': {
    file: PUBLISH,
    find: "return eventName === 'INSERT' && pk ? parseTopic(pk) : undefined;",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source code.
    replace: "return eventName === 'INSERT' && pk && parseTopic(pk) ? `${pk}${dynamodb?.SequenceNumber}` : undefined;",
  },
};
