import type { Event, Operation } from './operation.ts';

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];

/**
 * The methods of the paths that have several operations. A test compares them with the operations, whose schemas would
 * make the functions larger.
 */
const ALLOWED: Record<string, readonly Method[]> = {
  '': ['GET', 'HEAD', 'POST'],
  '/{id}': ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'],
};

type Route = Pick<Operation, 'method' | 'path'>;

const listAllowed = ({ method, path }: Route): readonly Method[] =>
  ALLOWED[path] ?? (method === 'GET' ? ['GET', 'HEAD'] : [method]);

/**
 * The methods that an operation's function has routes for. That of GET has also HEAD (RFC 9110 section 9.3.2), and the
 * methods that its path does not allow, which it answers with 405: API Gateway itself would answer 404. One route for ANY
 * method would do as well, but it would reject the preflight requests of CORS, which have no credentials.
 */
export function listRouteMethods(route: Route): readonly Method[] {
  const allowed = listAllowed(route);
  return route.method === 'GET'
    ? ['GET', 'HEAD', ...METHODS.filter((other) => !allowed.includes(other))]
    : [route.method];
}

/** The methods of the path if that of the request is none of them. */
export function findAllowed(route: Route, { requestContext }: Event): readonly Method[] | undefined {
  const allowed = listAllowed(route);
  return allowed.some((method) => method === requestContext.http.method) ? undefined : allowed;
}
