import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import { GraphQLError, type ValidationContext, type ValidationRule } from 'graphql';
import { requestError } from './request-error.ts';

/** Room for 1000 tokens; bounds aliases and names, which the response repeats for every item. */
const MAX_BYTES = 20_000;
export const MAX_TOKENS = 1000;
const MAX_DEPTH = 10;
const MAX_ALIASES = 15;
/** Answers repeat aliases: as keys, and in the path of each error. */
const MAX_NAME_LENGTH = 500;

const report = {
  propagateOnRejection: false,
  onReject: [
    // The rules call what they reject a syntax error, which it is not.
    (context: ValidationContext | null, { message }: GraphQLError) =>
      context?.reportError(new GraphQLError(message.replace(/^Syntax Error: /, ''))),
  ],
};

const maxNameLengthRule: ValidationRule = (context) => ({
  Name(node) {
    const { length } = node.value;
    if (length <= MAX_NAME_LENGTH) return;
    const message = `Name length limit of ${MAX_NAME_LENGTH} exceeded, found ${length}.`;
    context.reportError(new GraphQLError(message, { nodes: node }));
  },
});

export const limitRules = [
  maxDepthRule({ n: MAX_DEPTH, flattenFragments: true, ...report }),
  maxAliasesRule({ n: MAX_ALIASES, ...report }),
  maxNameLengthRule,
];

/** Checked before parsing, because the parsed document is much larger. */
export function assertDocumentSize(document: string): void {
  const bytes = Buffer.byteLength(document);
  if (bytes <= MAX_BYTES) return;
  throw requestError(400, 'GRAPHQL_PARSE_FAILED', `The document has ${bytes} bytes, which is more than ${MAX_BYTES}`);
}
