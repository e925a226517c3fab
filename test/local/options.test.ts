import { expect, test } from 'vitest';
import { readOptions } from '../../infra/local/options.ts';

test('by default data is kept in .data and the service listens on 127.0.0.1:3000', () => {
  expect(readOptions([], {})).toEqual({ port: 3000, host: '127.0.0.1', data: '.data', memory: false, cors: [] });
});

test('options may be written as two words or with =', () => {
  expect(readOptions(['--port', '0', '--host=::1', '--data', 'there', '--memory'], {})).toEqual({
    port: 0,
    host: '::1',
    data: 'there',
    memory: true,
    cors: [],
  });
});

test.each([
  [['--port', 'x'], /^--port must be a number\. /],
  [['--port', ''], /^--port must be a number\. /],
  [['--port', '1.5'], /^--port must be a number\. /],
  [['--port=-1'], /^--port must be a number\. /],
  [['--port', '-1'], /^Option '--port' argument is ambiguous\. /],
  [['--port', '65536'], /^--port must be at most 65535\. /],
  [['--port'], /--port <value>' argument missing/],
  [['--host', ''], /^--host must be a name or an address\. /],
  [['--data', ''], /^--data must be a folder\. /],
  [['--memory=no'], /--memory' does not take an argument/],
  [['--cors', 'localhost:5173'], /^--cors must be an origin, such as https:.*\. /],
  [['--colour'], /Unknown option '--colour'/],
  [['4000'], /Unexpected argument '4000'/],
])('%j is rejected in one line with the reason and the usage', (args, message) => {
  const expected = new RegExp(`${message.source}.*Usage: npm start -- .*$`);
  expect(() => readOptions(args, {})).toThrow(expected);
});
