import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findCodeBlocks } from '../setup/markdown.ts';
import { synthesize } from './construct/synth.ts';

const deploys = findCodeBlocks(readFileSync('infra/identity-providers.md', 'utf8'), 'sh')
  .flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'))
  .filter((command) => command.startsWith('npm run deploy'));

const readContext = (command: string) =>
  Object.fromEntries(
    [...command.matchAll(/-c (\w+)=('[^']*'|\S+)/g)].map(([, name, value = '']) => [name, value.replaceAll("'", '')]),
  );

test('the page has a command for each provider', () => {
  expect(deploys.length).toBe(6);
});

test.each(deploys)('every route of the stack requires a token of the provider: %s', (command) => {
  const template = synthesize(readContext(command));
  template.resourceCountIs('AWS::ApiGatewayV2::Authorizer', 1);
  template.allResourcesProperties('AWS::ApiGatewayV2::Route', { AuthorizationType: 'JWT' });
});
