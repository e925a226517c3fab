import { Button, Group, Modal, Stack, Table, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { Erasure } from '../../../../lib/client/client.ts';
import { client } from '../api/client.ts';
import type { User } from '../api/users.ts';
import { useCanErase, useCanReadHistory } from '../auth/token.ts';
import { panelTitle, useRestoredFocus } from '../focus.ts';
import { formatTime } from '../format.ts';
import { useChange } from '../notices.tsx';
import { PendingButton } from '../pending-button.tsx';
import { queryClient, refresh, refreshLists } from '../query-client.ts';
import { DownloadPerson } from './download-person.tsx';
import { Fact, Facts } from './facts.tsx';
import { forgetPerson } from './forget-person.ts';
import { FormError, SlowHint } from './form-messages.tsx';
import { PanelSection } from './panel-list.tsx';
import { RecordLinks } from './record-links.tsx';
import { REMAINS } from './remains.ts';
import { useErasure } from './use-erasure.ts';
import { useEarlierRecords, useHistory } from './use-history.ts';

export function Privacy({ id, user }: { id: string; user?: User }) {
  const { data: erasure, error } = useErasure(id);
  const canReadHistory = useCanReadHistory();
  const canErase = useCanErase();
  // An import may have restored an erased person.
  if (erasure && !user) return <Confirmation erasure={erasure} />;
  return (
    <>
      <FormError message={error?.message} />
      {canReadHistory && <AllData id={id} user={user} />}
      <PanelSection name="Erasure" align="flex-start">
        <Text size="sm">
          Deletes the user, and everything that names the person, including the history. This cannot be undone. A
          confirmation can be printed afterwards.
        </Text>
        {canErase ? (
          <EraseUser id={id} user={user} />
        ) : (
          <Text size="sm" c="dimmed">
            Your sign-in has no right to erase people.
          </Text>
        )}
      </PanelSection>
    </>
  );
}

type PrivacyProps = { id: string; user: User | undefined };

function AllData({ id, user }: PrivacyProps) {
  const { data } = useHistory(id, user?.version ?? null);
  const earlierRecords = useEarlierRecords(id);
  // Nothing is stored about an id that no user ever had.
  const isKnown = user !== undefined || (data !== undefined && data.entries.length > 0);
  return (
    <PanelSection name="Data" align="flex-start">
      <Text size="sm">
        {isKnown
          ? 'One JSON file holds the user, the posts, the history, and the last day of changes of posts. Operators can export the rest from the table.'
          : 'Nothing is held about this user.'}
      </Text>
      {isKnown && <DownloadPerson id={id} />}
      <RecordLinks ids={earlierRecords} tab="privacy">
        The file names these earlier records of the person. Download them, too:
      </RecordLinks>
    </PanelSection>
  );
}

function EraseUser({ id, user }: PrivacyProps) {
  const [isOpen, setOpen] = useState(false);
  useRestoredFocus(panelTitle);
  const { mutate, error, isPending } = useChange({
    failure: 'The user was not erased',
    send: () => client.erasures.request(id, user ? { ifVersion: user.version } : {}),
    onSent: async () => {
      forgetPerson(id);
      // Does not throw: the person is erased, so the data must go from the page.
      await refresh(['erasure', id]);
      queryClient.setQueryData(['user', id], null);
      await refreshLists();
    },
    onFailed: () => refresh(['user', id]),
  });
  return (
    <>
      <Button color="red" variant="light" onClick={() => setOpen(true)}>
        Erase this person
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={
          user ? (
            <>
              Erase <bdi>{user.name}</bdi> for good?
            </>
          ) : (
            'Erase what is left of this user?'
          )
        }
        centered
      >
        <Stack>
          <Text size="sm">
            The user, the posts, and all values in the history and change log are erased. Nobody can restore them.
            Download all data first if the person has asked for it.
          </Text>
          <FormError message={error?.message} />
          <SlowHint isPending={isPending} />
          <Group justify="flex-end">
            <Button variant="default" data-autofocus onClick={() => setOpen(false)}>
              Cancel
            </Button>
            <PendingButton color="red" isPending={isPending} onClick={() => mutate()}>
              Erase for good
            </PendingButton>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

const ERASED = [
  'Name, address and own fields of the user',
  'Posts of the user',
  'Values in the history and the change log',
  'Claims of unique values, and entries of search, filters and sorted lists',
];

function Confirmation({ erasure }: { erasure: Erasure }) {
  const { id, requestedAt, by, completedAt, earlierRecords, sameAddress } = erasure;
  return (
    <Stack component="section" aria-label="Erasure confirmation">
      <Title order={2} size="h5">
        Erasure confirmation
      </Title>
      <Group>
        <Button variant="default" onClick={() => print()}>
          Print the confirmation
        </Button>
      </Group>
      <Facts>
        <Fact name="User">
          <code>{id}</code>
        </Fact>
        <Fact name="Asked by">
          <bdi>{by}</bdi>
        </Fact>
        <Fact name="Asked at">
          <Moment value={requestedAt} />
        </Fact>
        <Fact name="Completed">
          <span role="status">
            {completedAt ? <Moment value={completedAt} /> : 'Not yet. It takes some minutes, and this page shows it.'}
          </span>
        </Fact>
      </Facts>
      <Title order={3} size="h6">
        {completedAt ? 'What was erased' : 'What is being erased'}
      </Title>
      <ul style={{ margin: 0, paddingInlineStart: '1.2rem', fontSize: '0.875rem' }}>
        {ERASED.map((what) => (
          <li key={what}>{what}</li>
        ))}
      </ul>
      <RecordLinks ids={earlierRecords} tab="privacy">
        Also of these earlier records of the person:
      </RecordLinks>
      {sameAddress.length > 0 && (
        <>
          <Title order={3} size="h6">
            Other deleted users with the same address
          </Title>
          <RecordLinks ids={sameAddress} tab="privacy">
            They may be other people, so their data remains. If they are the same person, open them and erase them, too.
          </RecordLinks>
        </>
      )}
      <Title order={3} size="h6">
        What remains, and why
      </Title>
      <Table fz="sm" verticalSpacing={6} horizontalSpacing={0}>
        <Table.Tbody>
          {REMAINS.map(([what, why]) => (
            <Table.Tr key={what}>
              <Table.Th scope="row" fw={500} pe="sm" style={{ verticalAlign: 'top' }}>
                {what}
              </Table.Th>
              <Table.Td style={{ verticalAlign: 'top' }}>{why}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}

/** Shows UTC, too, because the confirmation may be read in another time zone. */
const Moment = ({ value }: { value: string }) => (
  <time dateTime={value}>
    {formatTime(new Date(value))} ({value.slice(0, 19).replace('T', ' ')} UTC)
  </time>
);
