import { Anchor, List } from '@mantine/core';
import { followLink, linkTo } from '../route.ts';
import { useErasure } from './use-erasure.ts';

/** Links to records of users who were deleted. */
export const RecordLinks = ({ ids, tab }: { ids: readonly string[]; tab: 'history' | 'privacy' }) => (
  <List size="sm">
    {ids.map((id) => (
      <List.Item key={id}>
        <Anchor href={linkTo({ user: id, tab })} onClick={(event) => followLink(event, { user: id, tab })} inherit>
          <code>{id}</code>
        </Anchor>
        <ErasureState id={id} />
      </List.Item>
    ))}
  </List>
);

const ErasureState = ({ id }: { id: string }) => (useErasure(id).data ? ' erased' : null);
