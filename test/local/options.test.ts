import { expect, test } from 'vitest';
import { readOptions } from '../../infra/local/options.ts';

test('without arguments the service keeps its data in .data, at port 3000 of this machine only', () => {
  expect(readOptions([], {})).toEqual({ port: 3000, host: '127.0.0.1', data: '.data', memory: false });
});

test('every option is taken, as two words or as one', () => {
  expect(readOptions(['--port', '0', '--host=::1', '--data', 'there', '--memory'], {})).toEqual({
    port: 0,
    host: '::1',
    data: 'there',
    memory: true,
  });
});

test.each([
  [['--port', 'x'], /^--port takes a number\. /],
  [['--port', ''], /^--port takes a number\. /],
  [['--port', '1.5'], /^--port takes a number\. /],
  [['--port=-1'], /^--port takes a number\. /],
  [['--port', '-1'], /^Option '--port' argument is ambiguous\. /],
  [['--port', '65536'], /^--port takes a number up to 65535\. /],
  [['--port'], /--port <value>' argument missing/],
  [['--host', ''], /^--host takes a name or an address\. /],
  [['--data', ''], /^--data takes a folder\. /],
  [['--memory=no'], /--memory' does not take an argument/],
  [['--colour'], /Unknown option '--colour'/],
  [['4000'], /Unexpected argument '4000'/],
])('%j is refused in one line that says why, and how it is used', (args, message) => {
  const refusal = new RegExp(`${message.source}.*Usage: npm start -- .*$`);
  expect(() => readOptions(args, {})).toThrow(refusal);
});
