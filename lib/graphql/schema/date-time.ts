import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { DateTimeResolver } from 'graphql-scalars';

/** The messages of graphql-scalars do not name the expected format. */
export const DateTime = new GraphQLScalarType<Date, Date>({
  ...DateTimeResolver.toConfig(),
  parseValue: (value) => parseTime(value),
  parseLiteral: (node) => parseTime(node.kind === Kind.STRING ? node.value : undefined, node),
});

function parseTime(value: unknown, node?: ValueNode): Date {
  try {
    return DateTimeResolver.parseValue(value);
  } catch {
    const message = 'DateTime must be a time with Z or an offset, such as "2026-01-31T12:00:00Z"';
    throw new GraphQLError(message, { nodes: node ?? null });
  }
}
