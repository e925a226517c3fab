// `Module` below has the exact types.
type Resolver = (...args: never[]) => unknown;

/** Loads a separate file of the bundle: a cold start compiles only the code that its first request needs. */
export function loadOnFirstUse<Module extends Record<Name, Resolver>, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  ...names: Name[]
): Pick<Module, Name> {
  const resolvers = names.map((name) => [name, async (...args: never[]) => (await load())[name](...args)]);
  // The cast is safe, because every resolver may return a promise.
  return Object.fromEntries(resolvers) as Pick<Module, Name>;
}
