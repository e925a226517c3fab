import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { DateTimeResolver } from 'graphql-scalars';
import { TIME_FORM, toUtc } from '../../input/time.ts';

/** graphql-scalars accepts the year 0000, and its messages do not name the expected format. */
export const DateTime = new GraphQLScalarType<Date, Date>({
  ...DateTimeResolver.toConfig(),
  parseValue: (value) => parseTime(value),
  parseLiteral: (node) => parseTime(node.kind === Kind.STRING ? node.value : undefined, node),
});

function parseTime(value: unknown, node?: ValueNode): Date {
  const utc = toUtc(value);
  if (utc === undefined) throw new GraphQLError(`DateTime ${TIME_FORM}`, { nodes: node ?? null });
  return new Date(utc);
}
