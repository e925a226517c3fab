/** Part of Babel's NodePath. */
type Path = { node: { type: string; key?: { name?: string }; value?: { type: string; value?: unknown } } };

/** Names of properties that hold a sentence for people. A test of it would only repeat the sentence. */
const DESCRIPTIONS = ['comment', 'description', 'label', 'meaning', 'reason', 'scopeDescription', 'summary', 'title'];

/** https://stryker-mutator.io/docs/stryker-js/disable-mutants/#using-an-ignore-plugin */
export const strykerPlugins = [{ kind: 'Ignore', name: 'descriptions', value: { shouldIgnore } }];

function shouldIgnore({ node: { type, key, value } }: Path): string | undefined {
  if (type !== 'ObjectProperty' || !DESCRIPTIONS.includes(key?.name ?? '')) return undefined;
  // A single word may be a code that programs compare.
  const isSentence = value?.type === 'TemplateLiteral' || String(value?.value).includes(' ');
  return isSentence ? 'A sentence for people.' : undefined;
}
