// A resolver of any types: only what it is taken from tells them.
type Resolver = (...args: never[]) => unknown;

/**
 * Returns resolvers whose module is loaded when the first of them runs. A cold start compiles the code of its first request: of a
 * function that also writes, lists and streams, a read needs the least. Bundles have such a module in a separate file.
 */
export function loadOnFirstUse<Module extends Record<Name, Resolver>, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  ...names: Name[]
): Pick<Module, Name> {
  const resolvers = names.map((name) => [name, async (...args: never[]) => (await load())[name](...args)]);
  // All resolvers may return a promise.
  return Object.fromEntries(resolvers) as Pick<Module, Name>;
}
