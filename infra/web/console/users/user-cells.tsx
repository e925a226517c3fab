import { Badge } from '@mantine/core';
import type { ComponentProps, KeyboardEvent, MouseEvent } from 'react';
import { parseUuidTime } from '../../../../lib/input/uuidv7.ts';
import { Address } from '../address.tsx';
import type { User } from '../api/users.ts';
import { Choices } from '../choices.tsx';
import { newUserButton, usePassedFocus, userLinkId } from '../focus.ts';
import { findInitials, formatAge, formatTime } from '../format.ts';
import { useGroupNames } from '../groups/group-names.ts';
import { formatValue } from '../own-fields.ts';
import { linkTo } from '../route.ts';
import { userDrafts } from '../user/drafts.ts';
import type { Column } from './columns.ts';
import classes from './user-grid.module.css';

type NameProps = { user: User; columns: Column[]; onSelect: (event: KeyboardEvent) => void };

export function NameCell({ user, columns, onSelect }: NameProps) {
  const { id, name, email } = user;
  useGroupNames(user.groups);
  const isUnsaved = userDrafts.useDraft(id) !== undefined;
  const ref = usePassedFocus(newUserButton);
  const link = linkTo({ user: id });
  const open = (event: MouseEvent) => {
    event.stopPropagation();
    link.onClick(event);
  };
  // Shift includes all users up to this one.
  const select = (event: KeyboardEvent) => {
    if (event.key !== ' ') return;
    event.preventDefault();
    onSelect(event);
  };
  return (
    <>
      <div className={classes.person}>
        <span className={classes.initials} aria-hidden="true">
          {findInitials(name)}
        </span>
        <a ref={ref} id={userLinkId(id)} href={link.href} onClick={open} onKeyDown={select}>
          <bdi>{name}</bdi>
        </a>
        {isUnsaved && (
          <Badge variant="default" size="sm" flex="none">
            Unsaved
          </Badge>
        )}
        {columns.some(({ name }) => name === 'createdAt') && <Age time={readCreation(user)} className={classes.age} />}
      </div>
      <div className={classes.values}>
        <span className={classes.address}>
          <Address value={email} />
        </span>
        {columns.map(({ field, name, label }) => {
          const text = field && formatValue(field, user[name]);
          return (
            text && (
              <span key={name}>
                {label}: {field.enum ? <Choices field={field} value={user[name]} /> : <bdi>{text}</bdi>}
              </span>
            )
          );
        })}
      </div>
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

const Age = ({ time, ...props }: { time: Date } & ComponentProps<'time'>) => (
  <time dateTime={time.toISOString()} title={formatTime(time)} {...props}>
    {formatAge(time)}
  </time>
);
