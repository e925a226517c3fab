import type { Mutants } from './mutants.ts';

const WRITES = 'lib/dynamodb/conditional.ts';
const APPEND = 'lib/features/change-log/append.ts';
const RESOLVERS = 'lib/features/change-log/resolvers.ts';
const SUBSCRIBE = 'lib/features/change-log/subscribe.ts';
const READ = 'lib/features/change-log/read.ts';
const PUBLISH = 'lib/features/events/publish.ts';
const BUS = 'lib/features/events/event-bus.ts';
const EVENT = 'lib/features/events/cloud-event.ts';

export const changeLogMutants: Mutants = {
  'an entry is put whatever is there': {
    file: WRITES,
    find: "ConditionExpression: 'attribute_not_exists(pk)',\n      ReturnValues",
    replace: "ConditionExpression: 'attribute_not_exists(pk) OR attribute_exists(pk)',\n      ReturnValues",
  },
  'append whatever is the next of the order log': {
    file: APPEND,
    find: "putItemIf({ Item, ConditionExpression: 'attribute_not_exists(pk)' })",
    replace: 'putItemIf({ Item })',
  },
  'a repeated change is not looked for in the order log': {
    file: APPEND,
    find: 'if (puts.some(({ isRepeated }) => isRepeated))',
    replace: 'if (puts.length < 0)',
  },
  'an appender that lost the race does not look for its changes': {
    file: APPEND,
    find: 'await dropNamed(missing, end.number, end);',
    replace: 'Object.assign(end, await readLogEnd());',
  },
  'an end that may have expired is appended to': {
    file: APPEND,
    find: 'environment.now() - at < RETENTION_SECONDS * 1000',
    replace: 'at > 0',
  },
  'an empty log begins again below its old numbers': {
    file: APPEND,
    find: 'Math.max(now, read + 1, end.number + 2)',
    replace: 'end.number + 2',
  },
  'a table does not list its log': {
    file: APPEND,
    find: 'if (!end.isEpochListed) await listOwnEpoch();',
    replace: '',
  },
  'changes of the former table are logged in the restored one': {
    file: 'lib/on-change/stream-batch.ts',
    find: 'if (Records.some(isOfOtherTable)) {',
    replace: 'if (Records.length === 0) {',
  },
  'entries of one log are put in parallel': {
    file: APPEND,
    find: '({ id }) => findTopic(id).name);',
    replace: '({ id, sequence }) => findTopic(id).name + sequence);',
  },
  'the order log names a change before its entry is put': {
    file: APPEND,
    find: `const puts = await putEntries(changes, known.number, failures);
    await appendRefs(puts, known);`,
    replace: `await appendRefs(changes.map((change) => ({ change, isRepeated: true, searchFrom: 0 })), known);
    await putEntries(changes, known.number, failures);`,
  },
  'a reader does not wait for what is not visible yet': {
    file: 'lib/features/change-log/order-log.ts',
    find: 'if (!ConsistentRead && previous > last)',
    replace: 'if (!ConsistentRead && previous < MIN_POSITION)',
  },
  'entries that are not visible yet are not read again': {
    file: READ,
    find: 'getItems(late, { ConsistentRead: true })',
    replace: 'getItems(late)',
  },
  'a change after one that failed': {
    file: APPEND,
    find: 'failures.set(change, error);\n        return;',
    replace: 'failures.set(change, error);',
  },
  'a failed record is given up': {
    file: 'lib/on-change/batch.ts',
    find: 'this.#failed.add(record);',
    replace: '',
  },
  'delivery goes on after the last that failed': {
    file: 'lib/on-change/batch.ts',
    find: 'records.findIndex((record)',
    replace: 'records.findLastIndex((record)',
  },
  'a change log is kept for an hour': {
    file: APPEND,
    find: '+ retentionSeconds + MARGIN_SECONDS',
    replace: '+ MARGIN_SECONDS',
  },
  'events have the wrong name and address': {
    file: 'lib/features/change-log/versions.ts',
    find: 'user: change.item && read(change.item),',
    replace: "user: change.item && { ...read(change.item), name: 'Nobody', email: 'nobody@example.org' },",
  },
  'events have the wrong time': {
    file: RESOLVERS,
    find: '({ ...change, post: item && parsePost(item) })',
    replace: '({ ...change, at: new Date(0).toISOString(), post: item && parsePost(item) })',
  },
  'from now on begins with the last change': {
    file: SUBSCRIBE,
    find: 'version > knownVersion;',
    replace: 'version >= knownVersion;',
  },
  'from now on ends with the deletion left out': {
    file: SUBSCRIBE,
    find: '&& isNewer(change, knownVersion))',
    replace: "&& isNewer(change, knownVersion) && (knownVersion === 0 || change.kind !== 'DELETED'))",
  },
  'a cursor skips the rest of its entry': {
    file: READ,
    find: '{ watermark: formatPosition(number - 1), offset: index + 1 }',
    replace: '{ watermark: end, offset: 0 }',
  },
  'a cursor repeats its change': {
    file: READ,
    find: '{ watermark: formatPosition(number - 1), offset: index + 1 }',
    replace: '{ watermark: formatPosition(number - 1), offset: index }',
  },
  'a stream is opened after the log was read': {
    file: SUBSCRIBE,
    find: / {2}const stream = await live[\s\S]*?resumed\);\n/,
    replace: `  const read: ReadChange[] = [];
  if (resumed) for await (const each of readChanges(topic, resumed, { ConsistentRead: true })) read.push(each);
  const stream = await live.reader.open(topic, stop);
  const list = async function* () { yield* read; yield* readNew(stream, stop); };
  if (resumed) return startStream(list(), topic, resumed);\n`,
  },
  'changes that wait for a client are dropped': {
    file: 'lib/features/change-log/live-reader.ts',
    find: 'else this.end();',
    replace: '',
  },
  'what was read is delivered again': {
    file: SUBSCRIBE,
    find: 'if (isUpTo(position, cursor)) continue;',
    replace: '',
  },
  'a deletion is told as an update': {
    file: 'lib/on-change/stream-record.ts',
    find: "REMOVE: 'DELETED'",
    replace: "REMOVE: 'UPDATED'",
  },
};

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
