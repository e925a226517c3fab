import { Anchor, Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { Address } from '../address.tsx';
import type { User, UserInput } from '../api/users.ts';
import { ChangeBadge } from '../change-badge.tsx';
import { type Target, usePassedFocus } from '../focus.ts';
import { formatAge, formatTime } from '../format.ts';
import { useGroupNames } from '../groups/group-names.ts';
import { formatMember, labelMember } from '../own-fields.ts';
import { PendingButton } from '../pending-button.tsx';
import { linkTo } from '../route.ts';
import { userQuery } from '../shown-users.ts';
import { isSaved, pickRestorable } from './drafts.ts';
import { Fact, Facts } from './facts.tsx';
import { PanelItem, PanelList, PanelSection } from './panel-list.tsx';
import { RecordLinks } from './record-links.tsx';
import { type HistoryEntry, useDeletedName, useEarlierRecords, useHistory } from './use-history.ts';

type Restore = {
  user: User;
  isDisabled: boolean;
  onRestore: (input: UserInput) => void;
};

type Props = { id: string; restore?: Restore | undefined };

export function History({ id, restore }: Props) {
  const title = useRef<HTMLHeadingElement>(null);
  const query = useHistory(id, restore?.user.version ?? null);
  const { data, hasNextPage } = query;
  const earlierRecords = useEarlierRecords(id);
  return (
    <PanelSection name="History" title={title}>
      <PanelList name="history" title={title} query={query} moreLabel="Show earlier changes">
        {data?.entries.map((entry) => (
          <Entry key={`${entry.version} ${entry.at}`} entry={entry} restore={restore} title={title} />
        ))}
      </PanelList>
      {data && !hasNextPage && (
        <Text c="dimmed" size="sm">
          {data.since ? `Changes before ${formatTime(new Date(data.since))} are not kept.` : 'No changes are kept.'}
        </Text>
      )}
      <RecordLinks ids={earlierRecords} tab="history">
        The same person had these records, which were deleted:
      </RecordLinks>
    </PanelSection>
  );
}

type EntryProps = { entry: HistoryEntry; restore: Restore | undefined; title: Target };

function Entry({ entry, restore, title }: EntryProps) {
  const button = usePassedFocus(title);
  const { kind, at, by, version, before, after, changed, merged, mergedInto } = entry;
  useGroupNames(before?.groups, after?.groups);
  const restorable = restore && after && pickRestorable(after, restore.user);
  return (
    <PanelItem>
      <Stack gap={6} align="flex-start">
        <Group gap="xs" w="100%">
          <ChangeBadge kind={kind} />
          <Text component="time" size="sm" dateTime={at} title={formatTime(new Date(at))}>
            {formatAge(new Date(at))}
          </Text>
          {version !== null && (
            <Text span size="sm" c="dimmed" ml="auto">
              Version {version}
            </Text>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          by {by ? <bdi>{by}</bdi> : 'an unknown caller'}
        </Text>
        {merged && <OtherUser label="Merged with" id={merged} />}
        {mergedInto && <OtherUser label="Merged into" id={mergedInto} />}
        <Facts>
          {changed.map((member) => (
            <Change key={member} member={member} before={before} after={after} />
          ))}
        </Facts>
        {restorable && !isSaved(restorable, restore.user) && (
          <PendingButton
            ref={button}
            variant="default"
            size="compact-sm"
            disabled={restore.isDisabled}
            title={restore.isDisabled ? 'Save or discard your changes first' : undefined}
            onClick={() => restore.onRestore(restorable)}
          >
            Restore version {version}
          </PendingButton>
        )}
      </Stack>
    </PanelItem>
  );
}

/** The other user of a merge. Shows the id until the name is known. */
function OtherUser({ label, id }: { label: string; id: string }) {
  const { data: user } = useQuery(userQuery(id));
  const deletedName = useDeletedName(id, { enabled: user === null });
  return (
    <Text size="sm">
      {label}{' '}
      <Anchor {...linkTo({ user: id, tab: 'history' })} inherit>
        <bdi>{user?.name ?? deletedName ?? id}</bdi>
      </Anchor>
    </Text>
  );
}

type ChangeProps = { member: string } & Pick<HistoryEntry, 'before' | 'after'>;

function Change({ member, before, after }: ChangeProps) {
  const [old, current] = [formatMember(member, before?.[member]), formatMember(member, after?.[member])];
  // A new user has the empty list of groups.
  if (!old && !current) return null;
  return (
    <Fact name={labelMember(member)}>
      <Difference old={old} current={current} />
    </Fact>
  );
}

/** Only some browsers announce `del` and `ins` to screen readers. */
export const Difference = ({ old, current }: { old: string; current: string }) => (
  <>
    {old && (
      <Text component="del" inherit px={4} mr="xs" bg="light-dark(#fbe9e9, #3d2427)">
        <VisuallyHidden>from </VisuallyHidden>
        <Address value={old} />
      </Text>
    )}
    {current && (
      <Text component="ins" inherit px={4} td="none" bg="light-dark(#e3f4ea, #1d3527)">
        <VisuallyHidden>to </VisuallyHidden>
        <Address value={current} />
      </Text>
    )}
  </>
);
