import type { ApolloServerOptions, ApolloServerPlugin, BaseContext } from '@apollo/server';

type Logger = NonNullable<ApolloServerOptions<BaseContext>['logger']>;

const ignore = () => {};

/** Apollo's log messages can contain the document, and so addresses; `logInternalErrors` logs what is safe. */
export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** Logs where an error was thrown, without its message, which can contain the document or variables. */
export const logInternalErrors: ApolloServerPlugin = {
  async unexpectedErrorProcessingRequest({ error: { name, stack = '' } }) {
    const frames = stack.split('\n').filter((line) => line.startsWith('    at '));
    console.error({ event: 'apollo-error', error: { name, stack: frames.join('\n') } });
  },
};
