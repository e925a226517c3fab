import { table } from '../../../../lib/dynamodb/client.ts';

/** Fails each request for which `choose` returns an error. `choose` receives the request as JSON. */
export function failRequests(choose: (request: string) => Error | undefined): Disposable {
  const name = 'failRequests';
  table.middlewareStack.add(
    (next) => async (args) => {
      const error = choose(JSON.stringify(args.input));
      if (error) throw error;
      return next(args);
    },
    { step: 'initialize', name },
  );
  return { [Symbol.dispose]: () => void table.middlewareStack.remove(name) };
}

export const throttled = () =>
  Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException', $metadata: {} });
