import { expect, test } from 'vitest';
import { readOptions } from '../../../infra/local/options.ts';

test('by default, the service stores data in .data and listens on 127.0.0.1:3000', () => {
  expect(readOptions([], {})).toMatchObject({ port: 3000, host: '127.0.0.1', data: '.data', memory: false, cors: [] });
});

test("an option's value may follow a space or =", () => {
  expect(readOptions(['--port', '0', '--host=::1', '--data', 'there', '--memory'], {})).toMatchObject({
    port: 0,
    host: '::1',
    data: 'there',
    memory: true,
    cors: [],
  });
});

test('PORT is the port, unless --port is given', () => {
  expect(readOptions([], { PORT: '8080' }).port).toBe(8080);
  expect(readOptions(['--port', '4000'], { PORT: '8080' }).port).toBe(4000);
  expect(() => readOptions([], { PORT: 'x' })).toThrow(/^--port, or the variable PORT, must be a number/);
});

test('EVENTS_SECRET signs events, unless --events-secret is given', () => {
  const [one, two] = ['one', 'two'].map((text) => `whsec_${Buffer.alloc(24, text).toString('base64')}`);
  const args = ['--events', 'http://localhost:4000/hook'];
  expect(readOptions(args, {})).toMatchObject({ events: 'http://localhost:4000/hook' });
  expect(readOptions(args, { EVENTS_SECRET: one }).eventsSecret).toBe(one);
  expect(readOptions([...args, '--events-secret', two ?? ''], { EVENTS_SECRET: one }).eventsSecret).toBe(two);
});

test.each([
  [['--port', 'x'], /^--port, or the variable PORT, must be a number\. /],
  [['--port', ''], /^--port, or the variable PORT, must be a number\. /],
  [['--port', '1.5'], /^--port, or the variable PORT, must be a number\. /],
  [['--port=-1'], /^--port, or the variable PORT, must be a number\. /],
  [['--port', '-1'], /^Option '--port' argument is ambiguous\. /],
  [['--port', '65536'], /^--port must be at most 65535\. /],
  [['--port'], /--port <value>' argument missing/],
  [['--host', ''], /^--host must be a name or an address\. /],
  [['--data', ''], /^--data must be a folder\. /],
  [['--memory=no'], /--memory' does not take an argument/],
  [['--cors', 'localhost:5173'], /^--cors must be an origin, such as https:.*\. /],
  [['--sample', 'x'], /^--sample must be a number of users\. /],
  [['--engine', 'x'], /^--engine must be embedded or dynamodb-local\. /],
  [['--events', 'https://ada:%zz@a.example'], /^--events must have its user and password percent-encoded\. /],
  [['--events', 'localhost:4000/hook'], /^--events must be an http or https URL\. /],
  [
    ['--events', 'https://a.example', '--events-secret', 'secret'],
    /^--events-secret, or the variable EVENTS_SECRET, must /,
  ],
  [['--auth', '--issuer', 'https://a.example', '--audience', 'a'], /^--auth starts its own issuer: /],
  [['--colour'], /Unknown option '--colour'/],
  [['4000'], /Unexpected argument '4000'/],
  [['--port', '4000', '-p', '4001'], /^--port is set twice: set it once\. /],
])('%j is rejected in one line with the reason and the usage', (args, message) => {
  const expected = new RegExp(`${message.source}.*Usage: npm start -- .*$`);
  expect(() => readOptions(args, {})).toThrow(expected);
});
