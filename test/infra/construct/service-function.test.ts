import { expect, test } from 'vitest';
import { synthesize } from './synth.ts';

/** The variables about the change log of the functions that write, follow and show it. */
function readVariables(settings: Record<string, string>) {
  const resources = synthesize(settings).findResources('AWS::Lambda::Function');
  return ['on-change', 'index-pages', 'graphql'].map((name) => {
    const found = Object.values(resources).find(({ Properties }) => Properties.Handler === `${name}.handler`);
    const { CHANGE_LOG, HISTORY_DAYS } = found?.Properties.Environment.Variables ?? {};
    return { name, ...(CHANGE_LOG ? { CHANGE_LOG } : {}), ...(HISTORY_DAYS ? { HISTORY_DAYS } : {}) };
  });
}

const all = (variables: object) => ['on-change', 'index-pages', 'graphql'].map((name) => ({ name, ...variables }));

test.each([
  [{}, {}],
  [{ maxStreams: '0' }, { CHANGE_LOG: 'off' }],
  [{ maxStreams: '0', events: 'on' }, {}],
  [{ maxStreams: '0', historyDays: '1' }, { HISTORY_DAYS: '1' }],
  [{ historyDays: '3650' }, { HISTORY_DAYS: '3650' }],
])('with the settings %j, functions have the variables %j', (settings, variables) => {
  expect(readVariables(settings)).toEqual(all(variables));
});
