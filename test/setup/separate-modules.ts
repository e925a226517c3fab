import { afterAll, vi } from 'vitest';
import { restoreVariables } from './database.ts';

// Restore globals after each test file: the files load lib/ again, but share the process.
const globals = Object.getOwnPropertyDescriptors(globalThis);
afterAll(() => {
  vi.unstubAllGlobals();
  for (const name of Object.getOwnPropertyNames(globalThis))
    if (!(name in globals)) Reflect.deleteProperty(globalThis, name);
  for (const [name, descriptor] of Object.entries(globals))
    if (descriptor.configurable) Object.defineProperty(globalThis, name, descriptor);
  restoreVariables();
  vi.resetModules();
});
