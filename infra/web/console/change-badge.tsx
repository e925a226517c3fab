import { Badge, type BadgeProps } from '@mantine/core';

type Kind = 'CREATED' | 'UPDATED' | 'DELETED';

const KINDS: Record<Kind, { label: string; color: string }> = {
  CREATED: { label: 'Created', color: 'teal' },
  UPDATED: { label: 'Updated', color: 'indigo' },
  DELETED: { label: 'Deleted', color: 'red' },
};

export const ChangeBadge = ({ kind, ...props }: { kind: Kind } & Pick<BadgeProps, 'w'>) => (
  <Badge variant="light" color={KINDS[kind].color} flex="none" {...props}>
    {KINDS[kind].label}
  </Badge>
);
