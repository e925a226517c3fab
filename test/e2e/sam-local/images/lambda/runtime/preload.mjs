import { registerHooks } from 'node:module';

// Loaded before the runtime client, to replace its native part.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier.endsWith('/rapid-client.node')
      ? { url: new URL('native-client.cjs', import.meta.url).href, format: 'commonjs', shortCircuit: true }
      : next(specifier, context),
});
