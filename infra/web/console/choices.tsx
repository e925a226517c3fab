import { Badge, Group, type GroupProps } from '@mantine/core';
import { IconBan } from '@tabler/icons-react';
import { isBlocking, type OwnField } from '../../../lib/users/fields/declaration.ts';
import { formatValue, type Value } from './own-fields.ts';

/** Excludes red, which marks blocked values. */
const COLORS = ['indigo', 'teal', 'yellow', 'grape', 'cyan', 'orange', 'lime', 'pink'];

/** Values that are no longer declared are gray. */
function findColor(field: OwnField, value: Value): string {
  const choices: readonly Value[] = field.enum ?? [];
  const at = choices.indexOf(value);
  if (at < 0) return field.type === 'boolean' ? 'indigo' : 'gray';
  return COLORS[at % COLORS.length] ?? 'gray';
}

type Props = { field: OwnField; value: Value | undefined } & Pick<GroupProps, 'wrap'>;

/** Values of an enum or boolean field as badges. */
export const Choices = ({ field, value, ...props }: Props) => (
  <Group gap={6} {...props}>
    {[value ?? []].flat().map((each: Value) => {
      const isBlocked = isBlocking(field, each);
      return (
        <Badge
          key={String(each)}
          variant={each === false && !isBlocked ? 'default' : 'light'}
          color={isBlocked ? 'red' : findColor(field, each)}
          c={`var(--mantine-color-${isBlocked ? 'red-light-color' : 'text'})`}
          leftSection={isBlocked && <IconBan size={12} role="img" aria-label="Blocked:" />}
        >
          {formatValue(field, each)}
        </Badge>
      );
    })}
  </Group>
);
