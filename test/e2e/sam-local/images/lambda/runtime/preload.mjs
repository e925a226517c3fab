import { registerHooks } from 'node:module';

// Node.js imports this file before the runtime client. The hook replaces the client's native part by native-client.cjs.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier.endsWith('/rapid-client.node')
      ? { url: new URL('native-client.cjs', import.meta.url).href, format: 'commonjs', shortCircuit: true }
      : next(specifier, context),
});
