import { currentInvocation } from './invocation.ts';

/** What handlers log belongs to the history. */
export function silenceConsole(): void {
  // How much of an asynchronous stack V8 knows depends on what it has optimised.
  const leaveOutStack = (name: string, value: unknown) => (name === 'stack' ? undefined : value);
  const keep = (level: string) => (line: unknown) => {
    const invocation = currentInvocation();
    invocation?.world.trace(`${invocation.id} ${level} ${JSON.stringify(line, leaveOutStack)}`);
  };
  Object.assign(console, { info: () => {}, warn: keep('warns'), error: keep('logs') });
}
