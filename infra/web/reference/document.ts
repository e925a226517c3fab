/** See https://spec.openapis.org/oas/v3.1.1.html */
export type ReferenceDocument = {
  title: string;
  version: string;
  description: string;
  /** May be relative to the document's URL. */
  baseUrl: string;
  groups: Group[];
};

type Group = { name: string; description: string; operations: Operation[] };

export type Operation = {
  /** Such as `tag/users/POST/v1/users`. */
  anchor: string;
  operationId: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  deprecated: boolean;
  parameters: Parameter[];
  body: Body | undefined;
  responses: Response[];
};

export type Parameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
  example?: string;
};

type Body = { mediaTypes: string[]; schema: Schema; example: unknown };

type Response = { status: string; description: string; headers: Parameter[]; content: Content[] };

type Content = { mediaType: string; schema: Schema; example?: unknown };

export type Schema = {
  type?: string | string[];
  format?: string;
  description?: string;
  deprecated?: boolean;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  /** Returned if a user has no stored value. */
  'x-default'?: unknown;
  'x-unique'?: boolean | 'exact';
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
};

type OpenApiDocument = {
  info: { title: string; version: string; description: string };
  servers: [{ url: string }];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<Method, OpenApiOperation | undefined> & { parameters?: Parameter[] }>;
};

type OpenApiOperation = {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  deprecated?: boolean;
  parameters?: Parameter[];
  requestBody?: { content: MediaTypes };
  responses: Record<
    string,
    { description: string; headers?: Record<string, Omit<Parameter, 'name' | 'in'>>; content?: MediaTypes }
  >;
};

type MediaTypes = Record<string, { schema: Schema; example?: unknown }>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

type Method = (typeof METHODS)[number];

export function readDocument(json: object): ReferenceDocument {
  // Cast: the service generates the document, and a test validates it.
  const { info, servers, tags, paths } = replaceReferences(json, json) as OpenApiDocument;
  const operations = Object.entries(paths).flatMap(([path, { parameters = [], ...item }]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation ? [readOperation(path, method, operation, parameters)] : [];
    }),
  );
  const groups = tags.map((tag) => ({
    ...tag,
    operations: operations.filter(({ tag: name }) => name === tag.name),
  }));
  return { ...info, baseUrl: servers[0].url, groups };
}

function readOperation(path: string, method: Method, operation: OpenApiOperation, shared: Parameter[]) {
  const { tags, parameters = [], requestBody, responses, deprecated = false } = operation;
  const [tag = ''] = tags;
  const [first] = Object.values(requestBody?.content ?? {});
  return {
    ...operation,
    tag,
    anchor: `tag/${toAnchor(tag)}/${method.toUpperCase()}${path}`,
    method: method.toUpperCase(),
    path,
    deprecated,
    parameters: [...shared, ...parameters],
    body: first && {
      mediaTypes: Object.keys(requestBody?.content ?? {}),
      schema: first.schema,
      example: first.example,
    },
    responses: Object.entries(responses).map(([status, { description, headers = {}, content = {} }]) => ({
      status,
      description,
      headers: Object.entries(headers).map(([name, header]) => ({ ...header, name, in: 'header' as const })),
      content: Object.entries(content).map(([mediaType, each]) => ({ mediaType, ...each })),
    })),
  };
}

export const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

/** Terminates, because none of the service's schemas is recursive. */
function replaceReferences(value: unknown, root: object): unknown {
  if (Array.isArray(value)) return value.map((each) => replaceReferences(each, root));
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value && typeof value.$ref === 'string') return replaceReferences(find(root, value.$ref), root);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replaceReferences(each, root)]));
}

/** Supports `#/components/schemas/User`. */
const find = (root: object, reference: string): unknown =>
  reference
    .split('/')
    .slice(1)
    .reduce<unknown>((value, name) => Object(value)[name], root);
