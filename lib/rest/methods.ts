import type { Event, Operation } from './operation.ts';

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];

/**
 * The paths of operations, which follow the path of the response format, and their methods. A test compares them with the
 * operations, whose schemas would make the functions larger.
 */
const ALLOWED = {
  '': ['GET', 'HEAD', 'POST'],
  '/{id}': ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'],
} as const satisfies Record<string, readonly Method[]>;

export type Path = keyof typeof ALLOWED;

const listAllowed = (path: Path): readonly Method[] => ALLOWED[path];

/**
 * The methods that an operation's function has routes for. That of GET has also HEAD (RFC 9110 section 9.3.2), and the
 * methods that its path does not allow, which it answers with 405: API Gateway itself would answer 404. One route for ANY
 * method would do as well, but it would reject the preflight requests of CORS, which have no credentials.
 */
export const listRouteMethods = ({ method, path }: Pick<Operation, 'method' | 'path'>): readonly Method[] =>
  method === 'GET' ? ['GET', 'HEAD', ...METHODS.filter((other) => !listAllowed(path).includes(other))] : [method];

/** The methods of the path if that of the request is none of them. */
export function findAllowed({ path }: Operation, { requestContext }: Event): readonly Method[] | undefined {
  const allowed = listAllowed(path);
  return allowed.some((method) => method === requestContext.http.method) ? undefined : allowed;
}
