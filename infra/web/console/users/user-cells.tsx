import { Anchor, Avatar, Badge, Box, Group, Text, type TextProps } from '@mantine/core';
import type { KeyboardEvent, MouseEvent } from 'react';
import { parseUuidTime } from '../../../../lib/input/uuidv7.ts';
import { Address } from '../address.tsx';
import type { User } from '../api/users.ts';
import { Choices } from '../choices.tsx';
import { newUserButton, usePassedFocus, userLinkId } from '../focus.ts';
import { findInitials, formatAge, formatTime } from '../format.ts';
import { useGroupNames } from '../groups/group-names.ts';
import { formatValue } from '../own-fields.ts';
import { followLink, linkTo } from '../route.ts';
import { userDrafts } from '../user/drafts.ts';
import type { Column } from './columns.ts';
import classes from './user-grid.module.css';

type NameProps = { user: User; columns: Column[]; onSelect: (event: KeyboardEvent) => void };

export function NameCell({ user, columns, onSelect }: NameProps) {
  const { id, name, email } = user;
  useGroupNames(user.groups);
  const isUnsaved = userDrafts.useDraft(id) !== undefined;
  const link = usePassedFocus(newUserButton);
  const open = (event: MouseEvent) => {
    event.stopPropagation();
    followLink(event, { user: id });
  };
  // Shift includes all users up to this one.
  const select = (event: KeyboardEvent) => {
    if (event.key !== ' ') return;
    event.preventDefault();
    onSelect(event);
  };
  return (
    <>
      <Group gap="xs" wrap="nowrap">
        <Avatar size={22} fz={9} color="indigo" aria-hidden="true">
          {findInitials(name)}
        </Avatar>
        <Anchor
          ref={link}
          id={userLinkId(id)}
          href={linkTo({ user: id })}
          onClick={open}
          onKeyDown={select}
          size="sm"
          fw={550}
          c="inherit"
          truncate
        >
          <bdi>{name}</bdi>
        </Anchor>
        {isUnsaved && (
          <Badge variant="default" size="sm" flex="none">
            Unsaved
          </Badge>
        )}
        {columns.some(({ name }) => name === 'createdAt') && (
          <Age time={readCreation(user)} c="dimmed" fz={13} ml="auto" flex="none" hiddenFrom="sm" />
        )}
      </Group>
      <Box className={classes.details} hiddenFrom="sm">
        <Text size="sm" c="dimmed" truncate>
          <Address value={email} />
        </Text>
        <Group className={classes.fields} gap="0 0.75rem">
          {columns.map(({ field, name, label }) => {
            const text = field && formatValue(field, user[name]);
            return (
              text && (
                <Group key={name} gap={4} fz="sm" c="dimmed">
                  {label}: {field.enum ? <Choices field={field} value={user[name]} /> : <bdi>{text}</bdi>}
                </Group>
              )
            );
          })}
        </Group>
      </Box>
    </>
  );
}

export function ValueCell({ column: { name, field }, user }: { column: Column; user: User }) {
  useGroupNames(user.groups);
  if (name === 'createdAt') return <Age time={readCreation(user)} />;
  if (name === 'id') return <code style={{ color: 'var(--mantine-color-dimmed)' }}>{user.id}</code>;
  const value = user[name] ?? null;
  if ((name === 'updatedAt' || field?.type === 'dateTime') && typeof value === 'string')
    return <Age time={new Date(value)} />;
  if (field?.enum) return <Choices field={field} value={value} wrap="nowrap" />;
  return <bdi>{formatValue(field, value)}</bdi>;
}

/** Ids begin with the creation time. */
const readCreation = ({ id }: User) => new Date(parseUuidTime(id));

const Age = ({ time, ...props }: { time: Date } & TextProps) => (
  <Text component="time" inherit dateTime={time.toISOString()} title={formatTime(time)} {...props}>
    {formatAge(time)}
  </Text>
);
