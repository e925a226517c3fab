import { Annotations, Match, type Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { countOtherExecutions } from '../../../infra/construct/concurrency.ts';
import { createApp, synthesize } from './synth.ts';

const NEW_ACCOUNT_EXECUTIONS = 10;
/** One shard per partition of a new on-demand table. */
const SHARDS = 4;

/** Executions in parallel without client requests. */
function sumExecutions(template: Template): number {
  const list = (type: string): Record<string, unknown>[] =>
    Object.values(template.findResources(type)).map(({ Properties }) => Properties);
  const readers = list('AWS::Lambda::EventSourceMapping').map(({ ParallelizationFactor = 1 }) => ParallelizationFactor);
  const scheduled = list('AWS::Events::Rule').filter(({ ScheduleExpression }) => ScheduleExpression);
  const streams = list('AWS::Lambda::Function').map(({ Environment }) =>
    Number((Environment as { Variables: Record<string, string> } | undefined)?.Variables.MAX_STREAMS ?? 0),
  );
  const sum = (numbers: unknown[]) => numbers.reduce((total: number, each) => total + Number(each), 0);
  return sum(readers) * SHARDS + scheduled.length + sum(streams);
}

test('by default, three executions of a new account remain for requests when all streams are open and changes burst', () => {
  expect(NEW_ACCOUNT_EXECUTIONS - sumExecutions(synthesize())).toBe(3);
});

test('streams of a web function take no executions', () => {
  expect(NEW_ACCOUNT_EXECUTIONS - sumExecutions(synthesize({ subscriptions: 'web-function' }))).toBe(5);
});

const readStreams = (context: Record<string, unknown>) => {
  const [graphql] = Object.values(
    synthesize(context).findResources('AWS::Lambda::Function', { Properties: { Handler: 'graphql.handler' } }),
  );
  return graphql?.Properties.Environment.Variables.MAX_STREAMS;
};

test.each<[Record<string, unknown>, string]>([
  [{}, '2'],
  // A second stream consumer leaves a single execution of ten, and none for streams.
  [{ events: 'on' }, '0'],
  [{ concurrency: 100 }, '38'],
  [{ concurrency: 1000 }, '398'],
  [{ concurrency: 1000, graphqlConcurrency: 100 }, '50'],
  [{ concurrency: 1000, maxStreams: 7 }, '7'],
])('with %j, %s streams can be open', (context, streams) => expect(readStreams(context)).toBe(streams));

test('the synthesis notes when streams exceed the executions of a new account', () => {
  const context = { maxStreams: 5 };
  expect(sumExecutions(synthesize(context))).toBe(10);
  const findInfos = (given: Record<string, unknown>) =>
    Annotations.fromStack(createApp(given).stack).findInfo(
      '*',
      Match.stringLikeRegexp('Only 0 of 10 concurrent executions remain'),
    );
  expect(findInfos(context)).toHaveLength(1);
  expect([...findInfos({}), ...findInfos({ ...context, concurrency: 1000 })]).toEqual([]);
});

test('the batches of a webhook take two executions', () => {
  expect(Number(readStreams({ events: 'on', concurrency: 1000 }))).toBe(396);
  const webhookUrl = 'https://crm.example.com/hook';
  expect(Number(readStreams({ events: 'on', webhookUrl, concurrency: 1000 }))).toBe(395);
});

test('the note counts the same executions as the template', () => {
  const settings = { subscriptions: 'function-url', maxStreams: 7, events: true } as const;
  expect(countOtherExecutions(settings)).toBe(sumExecutions(synthesize(settings)));
});
