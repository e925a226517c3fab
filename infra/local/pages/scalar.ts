import plugin from '@scalar/fastify-api-reference';

type Route = { url: string; handler(request: unknown, reply: Reply): void };
type Reply = { header(): Reply; send(body: string): void };

/**
 * Scalar's build for browsers. The package for Fastify contains it as the response of a route; `@scalar/api-reference`
 * has it as a file, but brings 280 MB of packages.
 */
export async function readScalar(): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reply: Reply = { header: () => reply, send: resolve };
  const fastify = {
    initialConfig: {},
    hasPlugin: () => false,
    route: ({ url, handler }: Route) => {
      if (url.endsWith('.js')) handler({}, reply);
    },
  };
  // The plugin uses these members of a Fastify instance only.
  const register = plugin as unknown as (server: typeof fastify, options: object, done: () => void) => void;
  register(fastify, { configuration: { url: '/openapi.json' } }, () => reject(new Error('Scalar has no script')));
  return new TextEncoder().encode(await promise);
}
