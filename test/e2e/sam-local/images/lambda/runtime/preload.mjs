import { registerHooks } from 'node:module';

// Node imports this before the runtime client, whose native part it replaces.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier.endsWith('/rapid-client.node')
      ? { url: new URL('native-client.cjs', import.meta.url).href, format: 'commonjs', shortCircuit: true }
      : next(specifier, context),
});
